import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

const screenshotStatement = statement<{ picture: Buffer }>(
  'read-screenshot',
  'SELECT picture FROM crawl_screenshots WHERE job_id = $1 AND url_hash = $2',
);

/** The screenshot of a page, as PNG; undefined where none was stored. */
export async function findScreenshot(
  db: Queryable,
  jobId: string,
  hash: string,
): Promise<Buffer | undefined> {
  return (await run(db, screenshotStatement, [jobId, hash]))[0]?.picture;
}

export async function readScreenshot(db: Queryable, jobId: string, hash: string): Promise<Buffer> {
  const picture = await findScreenshot(db, jobId, hash);
  if (picture) return picture;
  throw new HoldfastError('page_not_found', `no screenshot of page ${hash} of job ${jobId} is stored`, {
    hint: 'Crawl with `screenshot: true` (command line: --screenshot) to store one of every page.',
  });
}
