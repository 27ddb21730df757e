import type { Pool } from 'pg';
import { expect } from 'vitest';

/** What must be true of a job's crawl at any moment, by recounting its rows. */
export async function checkInvariants(pool: Pool, jobId: string): Promise<void> {
  const { rows } = await pool.query(
    `SELECT state.total_pending, (SELECT count(*) FROM crawl_frontier WHERE job_id = $1) AS frontier,
       state.total_processed, (SELECT count(*) FROM crawl_pages WHERE job_id = $1 AND outcome IN ('fetched', 'failed')) AS processed,
       state.fetched, (SELECT count(*) FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched') AS fetched_pages,
       ARRAY[state.new_pages, state.changed, state.unchanged, state.gone] AS changes, (
         SELECT ARRAY[count(*) FILTER (WHERE change = 'new'), count(*) FILTER (WHERE change = 'changed'),
           count(*) FILTER (WHERE change = 'unchanged'),
           count(*) FILTER (WHERE change = 'gone') + (SELECT count(*) FROM crawl_gone WHERE job_id = $1)]::integer[]
         FROM crawl_pages WHERE job_id = $1) AS changed_pages,
       (SELECT count(*) FROM crawl_pages page WHERE job_id = $1 AND outcome = 'fetched' AND NOT EXISTS (
         SELECT FROM crawl_page_contents content WHERE content.url_hash = page.url_hash
           AND content.job_id = coalesce(page.content_job, page.job_id))) AS without_content,
       (SELECT count(*) FROM crawl_visited WHERE job_id = $1) AS visited,
       (SELECT count(*) FROM crawl_pages WHERE job_id = $1) AS pages, state.not_crawled,
       (SELECT coalesce(sum(pending), 0) FROM crawl_hosts WHERE job_id = $1) AS pending_by_host,
       (SELECT coalesce(sum(done), 0) FROM crawl_hosts WHERE job_id = $1) AS done_by_host,
       (SELECT count(*) FROM crawl_pages WHERE job_id = $1 AND kind = 'page' AND outcome IN ('fetched', 'failed')) AS done_pages,
       (SELECT count(*) FROM crawl_frontier JOIN crawl_pages USING (job_id, url_hash) WHERE job_id = $1) AS both
     FROM crawl_states state WHERE job_id = $1`,
    [jobId],
  );
  const [state] = rows;
  expect(state.frontier, 'total_pending is the number of frontier rows').toBe(state.total_pending);
  expect(state.processed, 'total_processed is the number of fetched and failed pages').toBe(
    state.total_processed,
  );
  expect(state.fetched_pages, 'fetched is the number of fetched pages').toBe(state.fetched);
  expect(state.changed_pages, 'new, changed, unchanged and gone pages are counted').toEqual(state.changes);
  expect(state.without_content, 'every fetched page has its content').toBe(0);
  expect(state.pending_by_host, 'the hosts have all that is pending').toBe(state.total_pending);
  expect(state.done_by_host, 'the hosts have all pages that count against their limits').toBe(
    state.done_pages,
  );
  expect(state.both, 'no URL is done and left to do').toBe(0);
  expect(state.pages + state.frontier + state.not_crawled, 'every URL found is accounted for').toBe(
    state.visited,
  );
}
