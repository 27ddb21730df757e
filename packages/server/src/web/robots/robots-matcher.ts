import { normalisePercent } from '../urls/percent-encoding.ts';
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

/** Compiles the rules for one agent, given by its product token. */
export function createRobotsMatcher(robots: RobotsRules, agent: string): RobotsMatcher {
  const own = agent.toLowerCase();
  const isNamed = own !== '' && robots.groups.some(({ agents }) => agents.includes(own));
  const name = isNamed ? own : '*';
  const groups = robots.groups.filter(({ agents }) => agents.includes(name));
  // The longest pattern decides, and `allow` among equally long ones: the first match in this order.
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

/** Without regular expressions, which `*a*a*a*…` could stall: each piece is searched once, after the previous one. */
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

/** Bytes that are percent-encoded in URLs but often not in robots.txt. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what has to be encoded
const toEncode = /[\x00-\x20"<>`{}\x7f-\xff]/g;

const encodeByte = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * Normalises a rule's pattern (RFC 9309, 2.2.2): encodes bytes beyond ASCII and decodes unreserved characters. `*` and a final `$`
 * stay special; any other `$` is literal.
 */
export function robotsPattern(bytes: string): string {
  const isAnchored = bytes.endsWith('$');
  const body = isAnchored ? bytes.slice(0, -1) : bytes;
  const normal = normalisePercent(body.replace(toEncode, encodeByte)).replaceAll('$', '%24');
  return normal.replace(/\*{2,}/g, '*') + (isAnchored ? '$' : '');
}

/** Path and query of a URL in the same form, with the special characters of patterns encoded (RFC 9309, 2.2.3). */
function robotsPath(url: string): string {
  const authority = url.indexOf('//');
  const from = authority === -1 ? 0 : authority + 2;
  const start = url.slice(from).search(/[/?;#]/);
  const path = start === -1 ? '' : (url.slice(from + start).split('#', 1)[0] as string);
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return /[%*$]/.test(rooted)
    ? normalisePercent(rooted).replaceAll('*', '%2A').replaceAll('$', '%24')
    : rooted;
}
