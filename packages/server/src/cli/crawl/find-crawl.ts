import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../database/statement.ts';
import { jobColumns } from '../../queue/find-jobs.ts';

const findStatement = statement<Job>(
  'find-crawl',
  `
SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs WHERE user_id = 'local' AND dedupe_key = $1 AND kind = 'crawl'
ORDER BY status IN ('pending', 'processing', 'retryable', 'paused') DESC, id DESC LIMIT 1`,
);

/** The live job with this key, else the newest one. */
export async function findCrawl(db: Queryable, key: string): Promise<Job | undefined> {
  return (await run(db, findStatement, [key]))[0];
}
