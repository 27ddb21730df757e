/** Reasons of what discovery read or looked for: it is no page, and is not tried again. */
export const foundByDiscovery: readonly string[] = ['sitemap', 'link_list', 'absent'];

/*
 * Failed and skipped pages go back into the frontier as if they had just been found; their hashes are in the visited set
 * already. They are wanted now: the trap detector lets them pass. For statements that have locked the crawl's row as `job (id)`, and take hashes as $2 and reasons as $3, each
 * null for all. `returned` has a row for each URL.
 */
export const returnedPages = `state AS MATERIALIZED (
  SELECT job_id, next_seq FROM crawl_states JOIN job ON job.id = job_id
),
gone AS (
  DELETE FROM crawl_pages page USING state
  WHERE page.job_id = state.job_id AND page.outcome IN ('failed', 'skipped')
    AND ($2::uuid[] IS NULL OR page.url_hash = ANY ($2)) AND ($3::text[] IS NULL OR page.reason = ANY ($3))
    AND page.reason NOT IN (${foundByDiscovery.map((reason) => `'${reason}'`).join(', ')})
  RETURNING page.url_hash, page.url, page.kind, page.depth, page.parent, page.outcome, page.change
),
returned AS (
  INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, kind, depth, parent, wanted)
  SELECT state.job_id, substring(gone.url FROM '^[a-z]+://([^/]+)'),
    state.next_seq + row_number() OVER (ORDER BY depth, url_hash) - 1, url_hash, url, kind, depth, parent, true
  FROM gone, state
  RETURNING host
),
host AS (
  INSERT INTO crawl_hosts AS known (job_id, host, pending, done)
  SELECT state.job_id, substring(gone.url FROM '^[a-z]+://([^/]+)') AS host, count(*),
    -count(*) FILTER (WHERE outcome = 'failed' AND kind = 'page')
  FROM gone, state GROUP BY state.job_id, 2
  ON CONFLICT (job_id, host) DO UPDATE SET
    pending = known.pending + excluded.pending, done = greatest(known.done + excluded.done, 0)
),
suspect AS (
  DELETE FROM crawl_suspects suspect USING gone, state
  WHERE suspect.job_id = state.job_id AND suspect.url_hash = gone.url_hash
),
counted AS (
  UPDATE crawl_states SET
    next_seq = crawl_states.next_seq + (SELECT count(*) FROM returned),
    total_pending = total_pending + (SELECT count(*) FROM returned),
    failed = failed - (SELECT count(*) FROM gone WHERE outcome = 'failed'),
    skipped = skipped - (SELECT count(*) FROM gone WHERE outcome = 'skipped'),
    gone = crawl_states.gone - (SELECT count(*) FROM gone WHERE change = 'gone'),
    total_processed = total_processed - (SELECT count(*) FROM gone WHERE outcome = 'failed'), updated_at = now()
  FROM state WHERE crawl_states.job_id = state.job_id
  RETURNING 1
)`;
