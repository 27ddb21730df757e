import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { wasHad } from '../../pages/stored/page.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';

const batch = 10_000;
const nil = '00000000-0000-0000-0000-000000000000';

const held = `held AS (
  UPDATE crawl_jobs SET last_heartbeat = now(), lease_expires_at = now() + make_interval(secs => lease_seconds)
  WHERE id = $1 AND fence = $2 AND status::text = 'processing' RETURNING id
)`;

/** A finished crawl that was resumed may have found pages it had called gone. */
const foundStatement = statement<{ id: string }>(
  'settle-gone-found',
  `
WITH ${held},
found AS (
  DELETE FROM crawl_gone gone USING held WHERE gone.job_id = held.id AND EXISTS (
    SELECT FROM crawl_visited visited WHERE visited.job_id = gone.job_id AND visited.url_hash = gone.url_hash)
  RETURNING 1
),
counted AS (
  UPDATE crawl_states SET gone = gone - (SELECT count(*) FROM found) FROM held
  WHERE job_id = held.id AND EXISTS (SELECT FROM found)
)
SELECT id FROM held`,
);

const goneStatement = statement<{ last: string | null; seen: number }>(
  'settle-gone',
  `
WITH ${held},
stretch AS MATERIALIZED (
  SELECT url_hash, url, title, fetched_at, outcome, content_job FROM crawl_pages
  WHERE job_id = $3 AND url_hash > $4 ORDER BY url_hash LIMIT $5
),
gone AS (
  INSERT INTO crawl_gone (job_id, url_hash, url, title, last_seen)
  SELECT held.id, url_hash, url, title, coalesce((
      SELECT had.fetched_at FROM crawl_pages had
      WHERE stretch.outcome <> 'fetched' AND had.job_id = stretch.content_job AND had.url_hash = stretch.url_hash
    ), fetched_at)
  FROM held, stretch
  WHERE ${wasHad('stretch')} AND stretch.url_hash <> ALL ($6::uuid[]) AND NOT EXISTS (
    SELECT FROM crawl_visited visited WHERE visited.job_id = $1 AND visited.url_hash = stretch.url_hash)
  ON CONFLICT DO NOTHING
  RETURNING 1
),
counted AS (
  UPDATE crawl_states SET gone = gone + (SELECT count(*) FROM gone), updated_at = now() FROM held
  WHERE job_id = held.id AND EXISTS (SELECT FROM gone)
)
SELECT (SELECT url_hash FROM stretch ORDER BY url_hash DESC LIMIT 1) AS last, (SELECT count(*) FROM stretch) AS seen
FROM held`,
);

/** Finds pages among the baseline's next ones that still exist although no link led to their URLs. */
export type FindRenamed = (after: string, limit: number) => Promise<readonly string[]>;

/** At the end of a recrawl: records pages of the baseline that no link led to as gone. Can be repeated after an interruption. */
export async function settleGone(
  db: Queryable,
  job: HeldJob,
  baseline: string,
  findRenamed: FindRenamed = async () => [],
): Promise<void> {
  if ((await run(db, foundStatement, [job.id, job.fence])).length === 0) throw leaseLost(job);
  for (let after = nil; ; ) {
    const renamed = await findRenamed(after, batch);
    const [row] = await run(db, goneStatement, [job.id, job.fence, baseline, after, batch, renamed]);
    if (!row) throw leaseLost(job);
    if (row.seen < batch || row.last === null) return;
    after = row.last;
  }
}
