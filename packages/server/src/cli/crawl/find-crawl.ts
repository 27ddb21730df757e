import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { sameSeeds } from '../../crawl/frontier/open-frontier.ts';
import { jobColumns } from '../../queue/jobs/find-jobs.ts';
import { crawlKeyOf02 } from '../../web/urls/crawl-key.ts';

import type { CrawlRequest } from './crawl-request.ts';

const findStatement = statement<Job>(
  'find-crawl',
  `
SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs WHERE user_id = 'local' AND kind = 'crawl'
  AND (dedupe_key = $1 OR (dedupe_key = $2 AND ${sameSeeds('payload', '$3::jsonb')}))
ORDER BY status IN ('pending', 'processing', 'retryable', 'paused') DESC, id DESC LIMIT 1`,
);

/** The live job of this command, else the newest one; version 0.2 may have named it otherwise. */
export async function findCrawl(
  db: Queryable,
  { key, options }: Pick<CrawlRequest, 'key' | 'options'>,
): Promise<Job | undefined> {
  const { url, urls } = options;
  return (await run(db, findStatement, [key, crawlKeyOf02(options), JSON.stringify({ url, urls })]))[0];
}
