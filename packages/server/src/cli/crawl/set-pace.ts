import { type Queryable, run, statement } from '../../base/database/statement.ts';

const fields = ['concurrency', 'delay_ms', 'page_timeout_seconds', 'attempts', 'user_agent'];

const paceStatement = statement(
  'set-crawl-pace',
  `
UPDATE crawl_jobs SET payload = (payload - $2::text[]) || $3::jsonb
WHERE id = $1 AND status <> 'processing' AND payload <> (payload - $2::text[]) || $3::jsonb`,
);

/** The next run of a crawl goes at the pace of the command that continues it. A run that is under way keeps its own. */
export async function setPace(db: Queryable, jobId: string, pace: object): Promise<void> {
  await run(db, paceStatement, [jobId, fields, JSON.stringify(pace)]);
}
