import { looksRandom, wordsOfName } from '../urls/url-parameters.ts';
import { dateInUrl, type UrlDate } from './date-in-url.ts';
import { hasRepeatedSegments } from './has-repeated-segments.ts';

/** Why a URL may be part of a trap: a space of URLs that a site makes up as it goes. */
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

/** A sign that a URL may belong to a trap. By itself it drops nothing: the pages have to prove it. */
export interface TrapSign {
  readonly reason: TrapReason;
  /** What all URLs of the trap have in common. */
  readonly key: string;
  /** False for a neighbour: a page that others of the group may repeat. */
  readonly isSuspect: boolean;
  /** Pages in a row that said nothing new. */
  readonly proof: number;
  /** Whether pages of a few words prove anything. */
  readonly thinCounts: boolean;
  /** Whether the group ends at the cap, though its pages are all new. */
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

/** The signs that a URL bears by itself. */
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

/** More than 3 years ahead, or more than 40 years ago: there pages have to say something, day by day. */
function isDistant(date: number, today: Date): boolean {
  const now = today.getTime();
  return date > dateNumber(now + 3 * yearMs) || date < dateNumber(now - 40 * yearMs);
}

function dateNumber(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** Links that add to the query they were found under: `?a=1&a=1&a=1&…`. */
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

/** The name of a group of suspects. */
export const groupOf = ({ reason, key }: Pick<TrapSign, 'reason' | 'key'>): string => `${reason} ${key}`;

export function isTokenName(name: string): boolean {
  return name === '_' || wordsOfName(name).some((word) => tokenWords.has(word));
}

/** Something that is made anew for every visitor: by the name of its parameter, or by the look of a segment. */
function tokenIn({ document, segments, pieces }: UrlParts) {
  for (const piece of pieces) {
    const [name = '', value = ''] = piece.split('=');
    if (value === '' || !isTokenName(name)) continue;
    const key = `${document}?${name}`;
    // A number may be that of a talk: only pages with something to say prove that it is not.
    return looksRandom(value) || /^\d{10,}$/.test(value)
      ? { key, proof: 20 }
      : { key, thinCounts: false, isCapped: false };
  }
  if (!segments.some(looksRandom)) return undefined;
  const key = `${document.slice(0, document.indexOf('/', 8))}/${segments.map((segment) => (looksRandom(segment) ? '#' : segment)).join('/')}`;
  return { key, proof: 100, thinCounts: false, isCapped: false };
}
