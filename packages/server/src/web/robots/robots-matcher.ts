import { robotsPath } from './robots-path.ts';
import type { RobotsRules } from './robots-rules.ts';

export interface RobotsMatcher {
  /** For an absolute URL of the origin that the robots.txt belongs to. */
  allows(url: string): boolean;
  readonly crawlDelaySeconds: number | undefined;
}

interface Rule {
  readonly isAllow: boolean;
  readonly length: number;
  readonly matches: (path: string) => boolean;
}

/** The rules for one agent, given as its product token (product-token.ts), ready to be asked for every URL. */
export function createRobotsMatcher(robots: RobotsRules, agent: string): RobotsMatcher {
  const own = agent.toLowerCase();
  const isNamed = own !== '' && robots.groups.some(({ agents }) => agents.includes(own));
  const name = isNamed ? own : '*';
  const groups = robots.groups.filter(({ agents }) => agents.includes(name));
  // The longest pattern decides, and of two as long the one that allows: so the first match in this order does.
  const rules = [
    ...groups.flatMap(({ allow }) => allow.map((pattern) => compileRule(pattern, true))),
    ...groups.flatMap(({ disallow }) => disallow.map((pattern) => compileRule(pattern, false))),
  ].sort((a, b) => b.length - a.length);
  return {
    allows(url) {
      if (rules.length === 0) return true;
      const path = robotsPath(url);
      return rules.find(({ matches }) => matches(path))?.isAllow ?? true;
    },
    crawlDelaySeconds: robots.crawlDelays.find(([delayed]) => delayed === name)?.[1],
  };
}

/** No regular expressions: `*a*a*a*…` must not stall. Each piece is looked for once, behind the piece before it. */
function compileRule(pattern: string, isAllow: boolean): Rule {
  const isAnchored = pattern.endsWith('$');
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const first = pieces[0] as string;
  const rest = pieces.slice(1);
  const last = isAnchored ? rest.pop() : undefined;
  const matches = (path: string): boolean => {
    if (!path.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    if (!isAnchored) return true;
    if (last === undefined) return path.length === at;
    return path.length - last.length >= at && path.endsWith(last);
  };
  return { isAllow, length: pattern.length, matches };
}
