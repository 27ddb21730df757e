import { foundByDiscovery } from '@holdfast/contract';

/*
 * Failed and skipped pages go back into the frontier, and keep their records: the checkpoint with a new outcome replaces the
 * old one, so a limit, a cancel or a kill on the way loses nothing. For statements that have locked the crawl's row as
 * `job (id)`, and take hashes as $2 and reasons as $3, each null for all. `chosen` has a row for each page, `returned` for
 * each that was not on its way already.
 */
export const returnedPages = `state AS MATERIALIZED (
  SELECT job_id, next_seq, retrying FROM crawl_states JOIN job ON job.id = job_id
),
chosen AS MATERIALIZED (
  SELECT page.url_hash, page.url, page.kind, page.depth, page.parent, page.outcome
  FROM state JOIN crawl_pages page ON page.job_id = state.job_id
  WHERE page.outcome IN ('failed', 'skipped')
    AND ($2::uuid[] IS NULL OR page.url_hash = ANY ($2)) AND ($3::text[] IS NULL OR page.reason = ANY ($3))
    AND page.reason NOT IN (${foundByDiscovery.map((reason) => `'${reason}'`).join(', ')})
),
under_way AS MATERIALIZED (
  SELECT frontier.url_hash FROM state JOIN crawl_frontier frontier ON frontier.job_id = state.job_id
  WHERE state.retrying > 0 AND frontier.retry_of IS NOT NULL
),
returned AS (
  INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, kind, depth, parent, retry_of)
  SELECT state.job_id, substring(chosen.url FROM '^[a-z]+://([^/]+)'),
    state.next_seq + row_number() OVER (ORDER BY depth, url_hash) - 1, url_hash, url, kind, depth, parent, outcome
  FROM chosen, state WHERE NOT EXISTS (SELECT FROM under_way WHERE under_way.url_hash = chosen.url_hash)
  RETURNING host
),
host AS (
  INSERT INTO crawl_hosts AS known (job_id, host, pending)
  SELECT state.job_id, returned.host, count(*) FROM returned, state GROUP BY state.job_id, returned.host
  ON CONFLICT (job_id, host) DO UPDATE SET pending = known.pending + excluded.pending
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
