import { ofThisJob } from '../../base/database/crawl-tables.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';
import { shardOf } from './checkpoint-statement.ts';

/** Rows per statement: a limit may leave a million, and no statement should hold its lock for that long. */
const batch = 10_000;

const countsOfHost = `count(*) AS count,
    count(*) FILTER (WHERE kind = 'page' AND retry_of IS NULL AND failure IS NOT NULL) AS failed`;

/*
 * `found` counts the rows first: an earlier attempt whose response was lost may delete them while this one waits for
 * the job's row.
 */
const abandonStatement = statement<{ abandoned: number; found: number }>(
  'abandon-frontier',
  `
WITH held AS (
  UPDATE crawl_jobs SET last_heartbeat = now(), lease_expires_at = now() + make_interval(secs => lease_seconds)
  WHERE id = $1 AND fence = $2 AND status::text = 'processing' RETURNING id
),
state AS MATERIALIZED (
  SELECT state.job_id, state.next_page_no FROM held JOIN crawl_states state ON state.job_id = held.id
  FOR NO KEY UPDATE OF state
),
left_over AS MATERIALIZED (
  SELECT ctid FROM crawl_frontier WHERE job_id = $1 ORDER BY host, seq LIMIT $3
),
gone AS (
  DELETE FROM crawl_frontier
  WHERE ${ofThisJob('job_id')} AND ctid = ANY (ARRAY(SELECT left_over.ctid FROM held, left_over))
  RETURNING host, seq, url_hash, url, kind, depth, parent, attempts, retry_of, failure
),
page AS (
  INSERT INTO crawl_pages (job_id, page_no, url_hash, url, kind, outcome, status, depth, attempts, fetched_at, parent, reason, message)
  SELECT state.job_id, state.next_page_no + row_number() OVER (ORDER BY host, seq) - 1, url_hash, url, kind, 'failed',
    (failure ->> 'status')::smallint, depth, attempts, now(), parent, failure ->> 'reason', failure ->> 'message'
  FROM state, gone WHERE retry_of IS NULL AND failure IS NOT NULL
  RETURNING url_hash
),
shard_host AS (
  UPDATE crawl_shard_hosts known SET pending = known.pending - gone.count, done = known.done + gone.failed
  FROM (SELECT ${shardOf('seq')} AS shard, host, ${countsOfHost} FROM gone GROUP BY 1, 2) gone
  WHERE known.job_id = $1 AND known.shard = gone.shard AND known.host = gone.host
),
shard AS (
  UPDATE crawl_shards known SET pending = known.pending - gone.count, retrying = known.retrying - gone.retried
  FROM (SELECT ${shardOf('seq')} AS shard, count(*) AS count, count(retry_of) AS retried FROM gone GROUP BY 1) gone
  WHERE known.job_id = $1 AND known.shard = gone.shard
),
host AS (
  UPDATE crawl_hosts known SET pending = known.pending - gone.count, done = known.done + gone.failed
  FROM (SELECT host, ${countsOfHost} FROM gone GROUP BY host) gone
  WHERE known.job_id = $1 AND known.host = gone.host
),
counted AS (
  UPDATE crawl_states SET not_crawled = not_crawled + (SELECT count(*) FROM gone WHERE retry_of IS NULL AND failure IS NULL),
    failed = failed + (SELECT count(*) FROM page), total_processed = total_processed + (SELECT count(*) FROM page),
    next_page_no = next_page_no + (SELECT count(*) FROM page),
    retrying = retrying - (SELECT count(*) FROM gone WHERE retry_of IS NOT NULL),
    total_pending = total_pending - (SELECT count(*) FROM gone), updated_at = now()
  FROM held WHERE job_id = held.id
)
SELECT (SELECT count(*) FROM gone) AS abandoned, (SELECT count(*) FROM left_over) AS found FROM held`,
);

/**
 * After a limit: URLs that wait for a retry fail with their last error, and the others are counted as not_crawled.
 * Retried pages keep their earlier records.
 */
export async function abandonFrontier(db: Queryable, job: HeldJob, limit = batch): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await run(db, abandonStatement, [job.id, job.fence, limit]);
    if (!row) throw leaseLost(job);
    total += row.abandoned;
    if (row.found < limit) return total;
  }
}
