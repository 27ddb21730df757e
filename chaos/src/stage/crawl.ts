import type { Origin } from '../site/origin.ts';
import type { Section } from '../site/section.ts';

/** One crawl of one section, and what befell it. */
export interface Crawl {
  readonly id: string;
  readonly section: Section;
  readonly origin: Origin;
  readonly concurrency: number;
  /** By path: deaths and pauses of its runner at which it had been asked for and that was not durable yet. */
  readonly credits: Map<string, number>;
  /** Deaths of its runners that were planned, and whose credits are above. Pauses are none. */
  deaths: number;
}

/** Requests of a crawl at its origin, by path. */
export function requestsOf({ section, origin }: Crawl): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of origin.log)
    if (path.startsWith(section.prefix)) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

/** A path as the crawl knows it: canonical, without what only tracks. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
