import { BoundedMap } from './bounded-map.ts';
import { dateInUrl, type UrlDate } from './date-in-url.ts';
import { hasRepeatedSegments } from './has-repeated-segments.ts';
import { addQuery, noShapes } from './query-shapes.ts';

/** Why a URL is taken for part of a trap: a space of URLs that a site makes up as it goes. */
export const trapReasons = [
  'trap_deep_path',
  'trap_repeated_segments',
  'trap_repeated_encoding',
  'trap_repeated_parameters',
  'trap_query_permutations',
  'trap_session_ids',
  'trap_calendar',
] as const;
export type TrapReason = (typeof trapReasons)[number];

export interface TrapLimits {
  readonly maxSegments: number;
  readonly maxParameters: number;
  /** Different lists of parameter names on one path. */
  readonly maxQueryShapes: number;
  /** Combinations of the same few values on one path: filters. */
  readonly maxQueryCombinations: number;
  /** Different values of a token on one path. */
  readonly maxTokens: number;
  /** Dates of one calendar altogether: 27 years of days. */
  readonly maxDates: number;
  /** Dates of one calendar more than a year ahead, and as many from more than 30 years ago. */
  readonly maxDistantDates: number;
  /** Paths with queries to remember. */
  readonly maxPaths: number;
  readonly today: Date;
}

const defaults: Omit<TrapLimits, 'today'> = {
  maxSegments: 32,
  maxParameters: 40,
  maxQueryShapes: 100,
  maxQueryCombinations: 500,
  maxTokens: 20,
  maxDates: 10_000,
  maxDistantDates: 60,
  maxPaths: 1_000,
};

const maxCalendars = 32;
const pairRepeats = 3;
const dayMs = 86_400_000;

export interface TrapDetector {
  /** For a canonical URL that was just found. What was admitted once is admitted again. */
  verdict(url: string): TrapReason | null;
}

/**
 * Tells endless spaces of URLs from large sites. Deterministic for a sequence of URLs; its memory is bounded, and lost
 * with the run: a trap then costs as many pages again, never more. Chains of numbers (`?page=9999`) are left to the
 * limits of depth and pages: no URL tells an endless list from a long one.
 */
export function createTrapDetector(given: Partial<TrapLimits> = {}): TrapDetector {
  const limits: TrapLimits = { ...defaults, today: new Date(), ...given };
  const paths = new BoundedMap<ReturnType<typeof noShapes>>(limits.maxPaths);
  const calendars = new BoundedMap<Calendar>(maxCalendars);
  const earliest = dateNumber(limits.today.getTime() - 30 * 365.25 * dayMs);
  const latest = dateNumber(limits.today.getTime() + 400 * dayMs);

  const isEndlessCalendar = ({ template, date }: UrlDate): boolean => {
    const { dates, ahead, past } = calendars.getOrAdd(template, noDates);
    if (dates.has(date)) return false;
    const distant = date > latest ? ahead : date < earliest ? past : null;
    if (dates.size >= limits.maxDates || (distant && distant.size >= limits.maxDistantDates)) return true;
    dates.add(date);
    distant?.add(date);
    return false;
  };

  const verdict = (url: string): TrapReason | null => {
    const pathStart = url.indexOf('/', 8);
    const queryAt = url.indexOf('?', pathStart);
    const query = queryAt === -1 ? '' : url.slice(queryAt + 1);
    const segments = url.slice(pathStart + 1, queryAt === -1 ? undefined : queryAt).split('/');
    if (segments.length > limits.maxSegments) return 'trap_deep_path';
    if (hasRepeatedSegments(segments)) return 'trap_repeated_segments';
    if (url.includes('%252525')) return 'trap_repeated_encoding';
    const date = dateInUrl(url, segments, query);
    if (date && isEndlessCalendar(date)) return 'trap_calendar';
    if (query === '') return null;
    if (hasRepeatedParameters(query, limits.maxParameters)) return 'trap_repeated_parameters';
    return addQuery(query, paths.getOrAdd(url.slice(0, queryAt), noShapes), limits);
  };
  return { verdict };
}

/** Links that add to the query they were found under: `?a=1&a=1&a=1&…`. */
function hasRepeatedParameters(query: string, limit: number): boolean {
  const pairs = query.split('&');
  if (pairs.length > limit) return true;
  if (pairs.length < pairRepeats) return false;
  const seen = new Map<string, number>();
  for (const pair of pairs) {
    const times = (seen.get(pair) ?? 0) + 1;
    if (times >= pairRepeats) return true;
    seen.set(pair, times);
  }
  return false;
}

interface Calendar {
  readonly dates: Set<number>;
  readonly ahead: Set<number>;
  readonly past: Set<number>;
}

const noDates = (): Calendar => ({ dates: new Set(), ahead: new Set(), past: new Set() });

function dateNumber(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}
