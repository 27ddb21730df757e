import { ofThisJob } from '../../base/database/crawl-tables.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';

/** Rows of one statement: a limit may leave a million behind, and no statement should hold its lock that long. */
const batch = 10_000;

/* `found` counts the rows before: an attempt whose answer was lost may delete them while this one waits for the job's row. */
const abandonStatement = statement<{ abandoned: number; found: number }>(
  'abandon-frontier',
  `
WITH held AS (
  UPDATE crawl_jobs SET last_heartbeat = now(), lease_expires_at = now() + make_interval(secs => lease_seconds)
  WHERE id = $1 AND fence = $2 AND status::text = 'processing' RETURNING id
),
left_over AS MATERIALIZED (
  SELECT ctid FROM crawl_frontier WHERE job_id = $1 ORDER BY host, seq LIMIT $3
),
gone AS (
  DELETE FROM crawl_frontier
  WHERE ${ofThisJob('job_id')} AND ctid = ANY (ARRAY(SELECT left_over.ctid FROM held, left_over))
  RETURNING host, retry_of
),
host AS (
  UPDATE crawl_hosts known SET pending = known.pending - gone.count
  FROM (SELECT host, count(*) AS count FROM gone GROUP BY host) gone
  WHERE known.job_id = $1 AND known.host = gone.host
),
counted AS (
  UPDATE crawl_states SET not_crawled = not_crawled + (SELECT count(*) FROM gone WHERE retry_of IS NULL),
    retrying = retrying - (SELECT count(*) FROM gone WHERE retry_of IS NOT NULL),
    total_pending = total_pending - (SELECT count(*) FROM gone), updated_at = now()
  FROM held WHERE job_id = held.id
)
SELECT (SELECT count(*) FROM gone) AS abandoned, (SELECT count(*) FROM left_over) AS found FROM held`,
);

/** After a limit: counts the remaining rows as not_crawled and deletes them. Pages that were to be retried keep their records. */
export async function abandonFrontier(db: Queryable, job: HeldJob, limit = batch): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await run(db, abandonStatement, [job.id, job.fence, limit]);
    if (!row) throw leaseLost(job);
    total += row.abandoned;
    if (row.found < limit) return total;
  }
}
