import { isPreference, readPreference } from './content-preferences.ts';
import { robotsPattern } from './robots-matcher.ts';
import { type ContentPreference, productToken, type RobotsRules } from './robots-rules.ts';

interface OpenGroup {
  readonly agents: Set<string>;
  readonly allow: Set<string>;
  readonly disallow: Set<string>;
}

/** Parses a robots.txt according to RFC 9309, as leniently as Google's parser. Accepts any bytes and never throws. */
export function parseRobots(bytes: Uint8Array): RobotsRules {
  const groups: OpenGroup[] = [];
  const crawlDelays = new Map<string, number>();
  const sitemaps = new Set<string>();
  const preferences: ContentPreference[] = [];
  /** Those that the next preference addresses. */
  let addressed = ['*'];
  let isAddressed = true;
  let group: OpenGroup | undefined;

  for (const { key, value } of robotsLines(bytes)) {
    switch (directiveOf(key)) {
      case 'user-agent':
        // Only a rule ends the list of agents; blank lines, sitemaps and delays do not.
        if (!group || group.allow.size + group.disallow.size > 0) {
          group = { agents: new Set(), allow: new Set(), disallow: new Set() };
          groups.push(group);
        }
        group.agents.add(agentOf(value));
        addressed = isAddressed ? [agentOf(value)] : [...addressed, agentOf(value)];
        isAddressed = false;
        break;
      case 'allow':
        isAddressed = true;
        group?.allow.add(robotsPattern(value));
        break;
      case 'disallow':
        isAddressed = true;
        group?.disallow.add(robotsPattern(value));
        break;
      case 'crawl-delay':
        for (const agent of group?.agents ?? []) addDelay(crawlDelays, agent, value);
        break;
      case 'sitemap':
        if (value !== '') sitemaps.add(utf8(value));
        break;
      default:
        if (isPreference(key) && preferences.length < maxPreferences) {
          const preference = readPreference(key, utf8(value), addressed);
          if (preference) preferences.push(preference);
          isAddressed ||= key !== 'license';
        }
        // A sitemap line without its key.
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
    ...(preferences.length > 0 && { preferences }),
  };
}

const maxPreferences = 100;

function agentOf(value: string): string {
  return /^\*(\s|$)/.test(value) ? '*' : productToken(value).toLowerCase();
}

/** Like Google: allowing `/a/index.html` allows `/a/`. */
function withIndexPage(pattern: string): string[] {
  const folder = /^(.*\/)index\.htm[^/]*$/.exec(pattern)?.[1];
  return folder === undefined ? [pattern] : [pattern, `${folder}$`];
}

/** Keeps the longest of several delays for one agent. */
function addDelay(delays: Map<string, number>, agent: string, value: string): void {
  const seconds = Number(/^\d*\.?\d+/.exec(value)?.[0] ?? Number.NaN);
  if (seconds >= 0 && seconds > (delays.get(agent) ?? -1)) delays.set(agent, seconds);
}

const utf8 = (byteText: string): string => Buffer.from(byteText, 'latin1').toString('utf8');

interface RobotsLine {
  readonly key: string;
  /** One character per byte, because the file's encoding is unreliable. */
  readonly value: string;
}

/** How much of a robots.txt is read. RFC 9309 requires at least 500 KiB. */
export const robotsBytes = 512 * 1024;
/** Google's limit: eight times the longest URL of old browsers. */
const maxLineLength = 16_664;

/** The `key: value` lines of a robots.txt. Tolerates wrong line ends, missing colons and broken byte order marks. */
function* robotsLines(bytes: Uint8Array): Generator<RobotsLine> {
  const text = byteText(bytes.subarray(0, robotsBytes));
  const lines = text.split(/\r\n|\r|\n/);
  // The last line of a truncated file may be half a rule, unless the cut is beyond what is read of a line.
  if (bytes.length > robotsBytes && !isReadable(lines.at(-1) ?? '')) lines.pop();
  for (const line of lines) {
    const parsed = parseLine(line.slice(0, maxLineLength));
    if (parsed) yield parsed;
  }
}

const isReadable = (line: string): boolean => line.includes('#') || line.length >= maxLineLength;

function parseLine(line: string): RobotsLine | null {
  const text = (line.split('#', 1)[0] as string).trim();
  const colon = text.indexOf(':');
  if (colon > 0)
    return { key: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim() };
  // Two words without a colon count as key and value.
  const words = text.split(/[ \t]+/);
  if (colon === 0 || words.length !== 2) return null;
  return { key: (words[0] as string).toLowerCase(), value: words[1] as string };
}

const utf8Mark = [0xef, 0xbb, 0xbf];

function byteText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  if (utf16) return Buffer.from(new TextDecoder(utf16).decode(bytes)).toString('latin1');
  // Skips a UTF-8 byte order mark, which is often incomplete.
  let start = 0;
  while (start < 3 && bytes[start] === utf8Mark[start]) start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString('latin1');
}

type Directive = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

/** Directives and how many letters may be wrong: a misspelt `disallow` is meant, and obeying it costs nothing. */
const tolerance: readonly (readonly [Directive, number])[] = [
  ['user-agent', 2],
  ['allow', 1],
  ['disallow', 2],
  ['crawl-delay', 2],
  ['sitemap', 1],
];

/** The directive of a lower-case key, tolerating misspellings: `dissalow`, `useragent`, `site-map`. */
function directiveOf(key: string): Directive | undefined {
  for (const [directive] of tolerance) if (key === directive) return directive;
  if (key.length > 13 || !/^[a-z][a-z _-]*$/.test(key)) return undefined;
  for (const [directive, allowed] of tolerance)
    if (Math.abs(key.length - directive.length) <= allowed && editDistance(key, directive) <= allowed)
      return directive;
  return undefined;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
