import { foundByDiscovery } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';
import { type HeldJob, leaseLost } from '../../queue/jobs/held-job.ts';
import { shardBits, shardOf } from './checkpoint-statement.ts';
import { shardOfHash } from './shard-of-url.ts';

/*
 * CTEs that return failed and skipped pages to the frontier. They keep their records until the checkpoint with a new outcome replaces
 * them (ADR 23), so a limit, a cancel or a kill loses nothing. The statement has locked the crawl's row as `job (id)`, and takes hashes
 * as $2 and reasons as $3, null for all. `chosen` has a row for each page, `returned` for each that was not in the frontier already.
 */
export const returnedPages = (outcomes = "'failed', 'skipped'") => `state AS MATERIALIZED (
  SELECT crawl_states.job_id, next_seq, crawl_states.retrying, first.shards, first.shard_by FROM crawl_states JOIN job ON job.id = crawl_states.job_id
  LEFT JOIN crawl_shards first
    ON first.job_id = crawl_states.job_id AND first.shard = 0 AND NOT EXISTS (SELECT FROM crawl_hosts WHERE job_id = $1)
),
chosen AS MATERIALIZED (
  SELECT page.url_hash, page.url, page.kind, page.depth, page.parent, page.outcome
  FROM state JOIN crawl_pages page ON page.job_id = state.job_id
  WHERE page.outcome IN (${outcomes})
    AND ($2::uuid[] IS NULL OR page.url_hash = ANY ($2)) AND ($3::text[] IS NULL OR page.reason = ANY ($3))
    AND coalesce(page.reason, '') NOT IN (${foundByDiscovery.map((reason) => `'${reason}'`).join(', ')})
),
under_way AS MATERIALIZED (
  SELECT frontier.url_hash FROM state JOIN crawl_frontier frontier ON frontier.job_id = state.job_id
  WHERE state.retrying > 0 AND frontier.retry_of IS NOT NULL
),
returned AS (
  INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, kind, depth, parent, retry_of)
  SELECT state.job_id, chosen.host, (coalesce(chosen.shard, 0)::bigint << ${shardBits})
    + state.next_seq + row_number() OVER (ORDER BY depth, url_hash) - 1, url_hash, url, kind, depth, parent, outcome
  FROM (
    SELECT chosen.*, name.host, CASE state.shard_by
      WHEN 'url' THEN ${shardOfHash('chosen.url_hash', 'state.shards')}
      -- Its page was found, so its host is known.
      WHEN 'domain' THEN (SELECT shard FROM crawl_shard_hosts known WHERE known.job_id = $1 AND known.host = name.host LIMIT 1) END AS shard
    FROM chosen, state CROSS JOIN LATERAL (SELECT substring(chosen.url FROM '^[a-z]+://([^/]+)') AS host) name
  ) chosen, state WHERE NOT EXISTS (SELECT FROM under_way WHERE under_way.url_hash = chosen.url_hash)
  RETURNING host, seq
),
host AS (
  INSERT INTO crawl_hosts AS known (job_id, host, pending)
  SELECT state.job_id, returned.host, count(*) FROM returned, state WHERE state.shards IS NULL GROUP BY state.job_id, returned.host
  ON CONFLICT (job_id, host) DO UPDATE SET pending = known.pending + excluded.pending
),
shard_host AS (
  INSERT INTO crawl_shard_hosts AS known (job_id, shard, host, pending)
  SELECT state.job_id, ${shardOf('seq')}, returned.host, count(*) FROM returned, state WHERE state.shards IS NOT NULL GROUP BY 1, 2, 3
  ON CONFLICT (job_id, shard, host) DO UPDATE SET pending = known.pending + excluded.pending
),
shard AS (
  UPDATE crawl_shards known SET pending = known.pending + more.count, retrying = known.retrying + more.count
  FROM (SELECT ${shardOf('seq')} AS shard, count(*) AS count FROM returned GROUP BY 1) more
  WHERE known.job_id = $1 AND known.shard = more.shard
),
suspect AS (
  DELETE FROM crawl_suspects suspect USING chosen, state
  WHERE suspect.job_id = state.job_id AND suspect.url_hash = chosen.url_hash
),
counted AS (
  UPDATE crawl_states SET
    next_seq = crawl_states.next_seq + (SELECT count(*) FROM returned),
    total_pending = total_pending + (SELECT count(*) FROM returned),
    retrying = crawl_states.retrying + (SELECT count(*) FROM returned), updated_at = now()
  FROM state WHERE crawl_states.job_id = state.job_id
  RETURNING 1
)`;

export const returnPagesStatement = statement<{ returned: number }>(
  'return-pages',
  `
WITH job AS MATERIALIZED (
  SELECT id FROM crawl_jobs WHERE id = $1 AND fence = $4 AND status::text = 'processing' FOR NO KEY UPDATE
),
${returnedPages()}
SELECT (SELECT count(*) FROM returned) AS returned FROM job`,
);

/** For a run that fetched nothing: pages that failed for these reasons return to the frontier before the job is retried. */
export async function returnPages(db: Queryable, job: HeldJob, reasons: readonly string[]): Promise<number> {
  const [row] = await run(db, returnPagesStatement, [job.id, null, reasons, job.fence]);
  if (!row) throw leaseLost(job);
  return row.returned;
}

const droppedStatement = statement<{ url_hash: string; url: string }>(
  'dropped-traps',
  `
SELECT url_hash, url FROM crawl_pages
WHERE job_id = $1 AND outcome = 'skipped' AND url_hash > $2 AND reason LIKE 'trap\\_%' ORDER BY url_hash LIMIT $3`,
);
const firstHash = '00000000-0000-0000-0000-000000000000';
const batch = 5_000;

/** Returns URLs that were wrongly dropped as traps to the frontier, up to a limit. */
export async function returnDropped(
  db: Queryable,
  job: HeldJob,
  isWanted: (url: string) => boolean,
  most: number,
): Promise<number> {
  let total = 0;
  for (let after = firstHash; ; ) {
    const rows = await run(db, droppedStatement, [job.id, after, batch]);
    const wanted = rows.filter(({ url }) => isWanted(url)).slice(0, most - total);
    if (wanted.length > 0) {
      const hashes = wanted.map(({ url_hash }) => url_hash);
      const [row] = await run(db, returnPagesStatement, [job.id, hashes, null, job.fence]);
      if (!row) throw leaseLost(job);
      total += row.returned;
    }
    const last = rows.at(-1);
    if (!last || rows.length < batch || total >= most) return total;
    after = last.url_hash;
  }
}

const returnRedirectStatement = statement<{ returned: number }>(
  'return-redirect',
  `
WITH job AS MATERIALIZED (
  SELECT id FROM crawl_jobs WHERE id = $1 AND fence = $4 AND status::text = 'processing' FOR NO KEY UPDATE
),
${returnedPages("'redirected'")}
SELECT (SELECT count(*) FROM returned) AS returned FROM job`,
);

/**
 * Returns a redirected URL to the frontier: with the cookies set since, it may be a page. Returns whether it was found.
 */
export async function returnRedirect(db: Queryable, job: HeldJob, urlHash: string): Promise<boolean> {
  const [row] = await run(db, returnRedirectStatement, [job.id, [urlHash], null, job.fence]);
  if (!row) throw leaseLost(job);
  return row.returned > 0;
}

const countsStatement = statement<{ failed: number; skipped: number }>(
  'count-failed-and-skipped',
  'SELECT failed, skipped FROM crawl_states WHERE job_id = $1',
);

/** Whether a crawl has failed or skipped pages. Files that discovery read or looked for are recorded as skipped, and do not count. */
export async function hasPagesToRetry(db: Queryable, jobId: string): Promise<boolean> {
  const [counts] = await run(db, countsStatement, [jobId]);
  if (!counts) return false;
  if (counts.failed > 0) return true;
  return counts.skipped > 0 && counts.skipped > (await countDiscovered(db, jobId));
}

async function countDiscovered(db: Queryable, jobId: string): Promise<number> {
  const { data } = await listErrors(db, jobId);
  return data
    .filter(({ outcome, reason }) => outcome === 'skipped' && foundByDiscovery.includes(reason))
    .reduce((sum, { count }) => sum + count, 0);
}
