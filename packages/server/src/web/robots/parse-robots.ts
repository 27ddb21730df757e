import { directiveOf } from './directive-of.ts';
import { productToken } from './product-token.ts';
import { robotsLines } from './robots-lines.ts';
import { robotsPattern } from './robots-path.ts';
import type { RobotsRules } from './robots-rules.ts';

interface OpenGroup {
  readonly agents: Set<string>;
  readonly allow: Set<string>;
  readonly disallow: Set<string>;
}

/** Reads a robots.txt as RFC 9309 says, and as leniently as Google's parser. Any bytes will do; it never throws. */
export function parseRobots(bytes: Uint8Array): RobotsRules {
  const groups: OpenGroup[] = [];
  const crawlDelays = new Map<string, number>();
  const sitemaps = new Set<string>();
  let group: OpenGroup | undefined;

  for (const { key, value } of robotsLines(bytes)) {
    switch (directiveOf(key)) {
      case 'user-agent':
        // Only a rule ends the list of agents: blank lines, sitemaps and delays do not.
        if (!group || group.allow.size + group.disallow.size > 0) {
          group = { agents: new Set(), allow: new Set(), disallow: new Set() };
          groups.push(group);
        }
        group.agents.add(agentOf(value));
        break;
      case 'allow':
        group?.allow.add(robotsPattern(value));
        break;
      case 'disallow':
        group?.disallow.add(robotsPattern(value));
        break;
      case 'crawl-delay':
        for (const agent of group?.agents ?? []) addDelay(crawlDelays, agent, value);
        break;
      case 'sitemap':
        if (value !== '') sitemaps.add(utf8(value));
        break;
      default:
        // A sitemap whose line lacks its key.
        if (/^https?$/.test(key) && /sitemap[^/]*\.(xml|txt)(\.gz)?$/i.test(value))
          sitemaps.add(utf8(`${key}:${value}`));
    }
  }
  return {
    groups: groups.map(({ agents, allow, disallow }) => ({
      agents: [...agents],
      allow: [...allow].filter(Boolean).flatMap(withIndexPage),
      disallow: [...disallow].filter(Boolean),
    })),
    crawlDelays: [...crawlDelays],
    sitemaps: [...sitemaps],
  };
}

function agentOf(value: string): string {
  return /^\*(\s|$)/.test(value) ? '*' : productToken(value).toLowerCase();
}

/** As Google reads it: who allows `/a/index.html` allows `/a/`. */
function withIndexPage(pattern: string): string[] {
  const folder = /^(.*\/)index\.htm[^/]*$/.exec(pattern)?.[1];
  return folder === undefined ? [pattern] : [pattern, `${folder}$`];
}

/** Of several delays for one agent the longest holds. */
function addDelay(delays: Map<string, number>, agent: string, value: string): void {
  const seconds = Number(/^\d*\.?\d+/.exec(value)?.[0] ?? Number.NaN);
  if (seconds >= 0 && seconds > (delays.get(agent) ?? -1)) delays.set(agent, seconds);
}

const utf8 = (byteText: string): string => Buffer.from(byteText, 'latin1').toString('utf8');
