import { readVisited } from '../frontier/read-visited.ts';
import type { CrawlContext } from './crawl-context.ts';
import { maxHashes } from './hash-set.ts';

/**
 * Lets a run that goes on with a crawl know again which URLs the crawl has met. In parts, beside the crawl: until they are there,
 * and where they cannot be read, the checkpoint asks.
 */
export async function recallUrls(
  { db, job, known, log }: Pick<CrawlContext, 'db' | 'job' | 'known' | 'log'>,
  isOver: () => boolean,
  partSize = 5_000,
): Promise<void> {
  let recalled = 0;
  try {
    for await (const hashes of readVisited(db, job.id, partSize)) {
      known.addHashes(hashes);
      recalled += hashes.length / 16;
      if (isOver() || recalled >= maxHashes) return;
    }
  } catch (error) {
    log.debug({ err: error }, 'The URLs that the crawl has met could not all be read');
  }
}
