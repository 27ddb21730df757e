import type { SentPage } from './site/imperfect-task.ts';

/** What an imperfect site's log says about a crawler. */
export interface ImperfectVerdict {
  readonly fetched: number;
  /** Pages that can be fetched, and were not. */
  readonly missing: number;
  /** From the first request to the last page that was new. */
  readonly seconds: number;
  readonly pagesPerSecond: number;
}

/**
 * Pages that were sent more than once count from the first time. With `patienceMs`, a crawler that missed pages is taken to have
 * tried for so long.
 */
export function judgeImperfect(
  log: readonly SentPage[],
  fetchable: readonly number[],
  patienceMs?: number,
): ImperfectVerdict {
  const firstAt = new Map<number, number>();
  for (const { page, atMs } of log) if (!firstAt.has(page)) firstAt.set(page, atMs);
  const times = fetchable.flatMap((page) => firstAt.get(page) ?? []);
  const missing = fetchable.length - times.length;
  const lastMs = Math.max(0, ...times);
  const seconds = (missing > 0 && patienceMs !== undefined ? patienceMs : lastMs) / 1000;
  const pagesPerSecond = seconds > 0 ? times.length / seconds : 0;
  return { fetched: times.length, missing, seconds, pagesPerSecond };
}
