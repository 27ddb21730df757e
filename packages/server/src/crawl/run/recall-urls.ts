import { readVisited, type VisitedParts } from '../frontier/read-visited.ts';
import type { CrawlContext } from './crawl-context.ts';
import { maxHashes } from './hash-set.ts';

/**
 * Lets a run that goes on with a crawl know again which URLs the crawl has met. In parts, beside the crawl: until they are there,
 * and where they cannot be read, the checkpoint asks.
 */
export async function recallUrls(
  { db, job, known, log }: Pick<CrawlContext, 'db' | 'job' | 'known' | 'log'>,
  parts: VisitedParts,
  isOver: () => boolean,
): Promise<void> {
  let recalled = 0;
  try {
    await readVisited(db, job.id, parts, (hashes) => {
      known.addHashes(hashes);
      recalled += hashes.length / 16;
      return !isOver() && recalled < maxHashes;
    });
  } catch (error) {
    log.debug({ err: error }, 'The URLs that the crawl has met could not all be read');
  }
}
