import { retryTransient } from '../../base/database/transient-errors.ts';
import { returnDropped } from '../frontier/return-pages.ts';
import type { CrawlContext } from './crawl-context.ts';

/** Puts back what was dropped of traps that turned out not to be any. Returns how many URLs, within the page limit. */
export async function returnRefuted(
  { db, job, log, options, leaseEnds }: CrawlContext,
  isWanted: (url: string) => boolean,
  fetched: number,
): Promise<number> {
  const room = (options.max_pages ?? Number.POSITIVE_INFINITY) - fetched;
  const mayContinue = () => performance.now() < leaseEnds();
  const returned = await retryTransient(mayContinue, () => returnDropped(db, job, isWanted, room));
  if (returned > 0) log.info({ urls: returned }, 'Fetching URLs that were mistaken for a trap');
  return returned;
}
