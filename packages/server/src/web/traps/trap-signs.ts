import { looksRandom, wordsOfName } from '../urls/url-parameters.ts';
import { dateInUrl, type UrlDate } from './date-in-url.ts';

/** Why a URL may belong to a trap, an endless space of generated URLs. */
const trapReasons = [
  'trap_deep_path',
  'trap_repeated_segments',
  'trap_repeated_encoding',
  'trap_repeated_parameters',
  'trap_query_permutations',
  'trap_session_ids',
  'trap_calendar',
] as const;
export type TrapReason = (typeof trapReasons)[number];

/** A sign that a URL may belong to a trap. Only the content of its pages can prove that. */
export interface TrapSign {
  readonly reason: TrapReason;
  /** Common to all URLs of the trap. */
  readonly key: string;
  /** false: an ordinary page that suspects of the group may repeat. */
  readonly isSuspect: boolean;
  /** How many consecutive pages without new content prove the trap. */
  readonly proof: number;
  /** Whether pages with few words count. */
  readonly thinCounts: boolean;
  /** Whether the group is capped even if all of its pages are new. */
  readonly isCapped: boolean;
}

const maxSegments = 32;
const maxParameters = 40;
const pairRepeats = 3;
const yearMs = 365.25 * 86_400_000;
const usual = { isSuspect: true, proof: 50, thinCounts: true, isCapped: true } as const;

export interface UrlParts {
  readonly url: string;
  /** Up to the query. */
  readonly document: string;
  readonly segments: readonly string[];
  readonly pieces: readonly string[];
  readonly date: UrlDate | null;
}

export function partsOf(url: string): UrlParts {
  const pathStart = url.indexOf('/', 8);
  const queryAt = url.indexOf('?', pathStart);
  const document = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
  const segments = document.slice(pathStart + 1).split('/');
  const date = dateInUrl(url, segments, query);
  return { url, document, segments, pieces: query === '' ? [] : query.split('&'), date };
}

/** The signs of a single URL. */
export function signsOf(parts: UrlParts, today: Date): TrapSign[] {
  const { url, document, segments, pieces, date } = parts;
  const signs: TrapSign[] = [];
  const site = url.slice(0, url.indexOf('/', 8));
  const start = `${site}/${segments[0]}`;
  if (segments.length > maxSegments) signs.push({ ...usual, reason: 'trap_deep_path', key: start });
  if (hasRepeatedSegments(segments)) signs.push({ ...usual, reason: 'trap_repeated_segments', key: start });
  if (url.includes('%252525')) signs.push({ ...usual, reason: 'trap_repeated_encoding', key: site });
  if (date) {
    const isSuspect = date.isRange || isDistant(date.date, today);
    signs.push({ ...usual, reason: 'trap_calendar', key: date.template, isSuspect, proof: 100 });
  }
  if (hasRepeatedParameters(pieces))
    signs.push({ ...usual, reason: 'trap_repeated_parameters', key: document });
  const token = tokenIn(parts);
  if (token) signs.push({ ...usual, ...token, reason: 'trap_session_ids' });
  return signs;
}

/** More than 3 years ahead or 40 years ago, where most calendars are empty. */
function isDistant(date: number, today: Date): boolean {
  const now = today.getTime();
  return date > dateNumber(now + 3 * yearMs) || date < dateNumber(now - 40 * yearMs);
}

function dateNumber(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** Links that extend the query of their own page: `?a=1&a=1&a=1&…`. */
function hasRepeatedParameters(pieces: readonly string[]): boolean {
  if (pieces.length > maxParameters) return true;
  if (pieces.length < pairRepeats) return false;
  const seen = new Map<string, number>();
  for (const pair of pieces) {
    const times = (seen.get(pair) ?? 0) + 1;
    if (times >= pairRepeats) return true;
    seen.set(pair, times);
  }
  return false;
}

const tokenWords = new Set([
  ...['sess', 'session', 'sessionid', 'sessid', 'sid', 'phpsessid', 'jsessionid', 'cfid', 'cftoken'],
  ...['token', 'csrf', 'csrftoken', 'xsrf', 'nonce', 'ticket', 'viewstate', 'timestamp', 'ts'],
  ...['rand', 'random', 'cachebust', 'cachebuster', 'nocache', 'cb'],
]);

/** The name of a group of URLs with the same sign. */
export const groupOf = ({ reason, key }: Pick<TrapSign, 'reason' | 'key'>): string => `${reason} ${key}`;

export function isTokenName(name: string): boolean {
  return name === '_' || wordsOfName(name).some((word) => tokenWords.has(word));
}

/** A value that is generated for every visitor, recognised by its parameter's name or by a random-looking segment. */
function tokenIn({ document, segments, pieces }: UrlParts) {
  for (const piece of pieces) {
    const [name = '', value = ''] = piece.split('=');
    if (value === '' || !isTokenName(name)) continue;
    const key = `${document}?${name}`;
    // A short number may be an id: only pages with enough text prove that it is not.
    return looksRandom(value) || /^\d{10,}$/.test(value)
      ? { key, proof: 20 }
      : { key, thinCounts: false, isCapped: false };
  }
  if (!segments.some(looksRandom)) return undefined;
  const key = `${document.slice(0, document.indexOf('/', 8))}/${segments.map((segment) => (looksRandom(segment) ? '#' : segment)).join('/')}`;
  return { key, proof: 100, thinCounts: false, isCapped: false };
}

/** A segment four times in a row (`/a/a/a/a`), or a sequence three times (`/a/b/a/b/a/b`). */
const wordRepeats = 4;
const runRepeats = 3;
/** Numbers and single letters repeat in ordinary paths: map tiles, versions, `/0/0/1`. */
const shortRepeats = 7;
/** The same segment anywhere in one path. */
const occurrences = 6;

/** Whether a path repeats itself, as relative links on error pages cause: `/img/css/img/css/img/css/…`. */
function hasRepeatedSegments(segments: readonly string[]): boolean {
  const count = segments.length;
  if (count < wordRepeats) return false;
  for (let period = 1; period * 2 <= count; period++) {
    let run = 0;
    for (let i = period; i < count; i++) {
      run = segments[i] === segments[i - period] ? run + 1 : 0;
      const repeats = Math.floor(run / period) + 1;
      if (repeats >= neededRepeats(segments[i] as string, period)) return true;
    }
  }
  if (count < occurrences) return false;
  const seen = new Map<string, number>();
  for (const segment of segments) {
    const times = (seen.get(segment) ?? 0) + 1;
    if (times >= occurrences && !isShort(segment)) return true;
    seen.set(segment, times);
  }
  return false;
}

function neededRepeats(segment: string, period: number): number {
  if (isShort(segment)) return shortRepeats;
  return period === 1 ? wordRepeats : runRepeats;
}

const isShort = (segment: string): boolean => segment.length === 1 || /^\d+$/.test(segment);
