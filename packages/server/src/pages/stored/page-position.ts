import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { PagePosition } from './list-pages.ts';

const positionStatement = statement<PagePosition>(
  'page-position',
  `SELECT coalesce(reason, '') AS reason, page_no FROM crawl_pages WHERE job_id = $1 AND page_no = $2`,
);

/** Where a list goes on behind a page that a person names by its number; lists by reason must know its reason too. */
export async function pagePosition(db: Queryable, jobId: string, pageNo: number): Promise<PagePosition> {
  const [position] = await run(db, positionStatement, [jobId, pageNo]);
  if (!position) throw new HoldfastError('page_not_found', `number ${pageNo} of job ${jobId}`);
  return position;
}
