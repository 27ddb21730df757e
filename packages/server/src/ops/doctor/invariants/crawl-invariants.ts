import { statement } from '../../../base/database/statement.ts';
import type { Invariant, Violation } from './invariant.ts';

/** `$2` is not asked for here; PostgreSQL wants to know its type all the same. */
const jobs = `unnest($1::uuid[]) AS asked (job_id) JOIN crawl_states state USING (job_id)`;
const unused = '$2::float8 IS NOT NULL';
const advice =
  'Pause the job and keep the database as it is for whoever looks into it; `holdfast jobs retry ID --afresh` crawls it anew.';

const everyUrl = statement<Violation>(
  'invariant-every-url',
  `
SELECT job_id, format('%s URLs found, but %s pages, %s in the frontier and %s not crawled; %s whose record is not what the frontier says, %s twice in the frontier, %s never found',
  found.visited, found.pages, found.frontier, state.not_crawled, found.both, found.twice, found.unknown) AS found
FROM ${jobs} CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM crawl_visited one WHERE one.job_id = state.job_id) AS visited,
    (SELECT count(*) FROM crawl_pages one WHERE one.job_id = state.job_id) AS pages,
    (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id AND retry_of IS NULL) AS frontier,
    (SELECT count(*) - count(DISTINCT url_hash) FROM crawl_frontier one WHERE one.job_id = state.job_id) AS twice,
    (SELECT count(*) FROM crawl_frontier one LEFT JOIN crawl_pages page USING (job_id, url_hash)
      WHERE one.job_id = state.job_id AND one.retry_of IS DISTINCT FROM page.outcome) AS both,
    (SELECT count(*) FROM (
      SELECT url_hash FROM crawl_pages one WHERE one.job_id = state.job_id
      UNION ALL SELECT url_hash FROM crawl_frontier one WHERE one.job_id = state.job_id
    ) one WHERE NOT EXISTS (
      SELECT FROM crawl_visited known WHERE known.job_id = state.job_id AND known.url_hash = one.url_hash)) AS unknown
) found
WHERE ${unused} AND (found.visited <> found.pages + found.frontier + state.not_crawled
  OR found.both > 0 OR found.twice > 0 OR found.unknown > 0)`,
);

const together = statement<Violation>(
  'invariant-together',
  `
SELECT job_id, format('%s fetched pages without content, %s frontier rows that no host counts, %s pages that no host counts, pages by outcome %s counted as %s, changes %s counted as %s',
  found.without_content, found.frontier - found.pending, found.done_pages - found.done,
  found.outcomes, counted.outcomes, found.changes, counted.changes) AS found
FROM ${jobs} CROSS JOIN LATERAL (
  SELECT ARRAY[state.fetched, state.failed, state.skipped, state.redirected] AS outcomes,
    ARRAY[state.new_pages, state.changed, state.unchanged, state.gone] AS changes
) counted CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM crawl_pages page WHERE page.job_id = state.job_id AND outcome = 'fetched' AND NOT EXISTS (
      SELECT FROM crawl_page_contents content WHERE content.url_hash = page.url_hash
        AND content.job_id = coalesce(page.content_job, page.job_id))) AS without_content,
    (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id) AS frontier,
    (SELECT coalesce(sum(pending), 0) FROM crawl_hosts one WHERE one.job_id = state.job_id) AS pending,
    (SELECT coalesce(sum(done), 0) FROM crawl_hosts one WHERE one.job_id = state.job_id) AS done,
    page.*
  FROM (
    SELECT count(*) FILTER (WHERE kind = 'page' AND outcome IN ('fetched', 'failed')) AS done_pages,
      ARRAY[count(*) FILTER (WHERE outcome = 'fetched'), count(*) FILTER (WHERE outcome = 'failed'),
        count(*) FILTER (WHERE outcome = 'skipped'), count(*) FILTER (WHERE outcome = 'redirected')]::integer[] AS outcomes,
      ARRAY[count(*) FILTER (WHERE change = 'new'), count(*) FILTER (WHERE change = 'changed'),
        count(*) FILTER (WHERE change = 'unchanged'),
        count(*) FILTER (WHERE change = 'gone')
          + (SELECT count(*) FROM crawl_gone gone WHERE gone.job_id = state.job_id)]::integer[] AS changes
    FROM crawl_pages page WHERE page.job_id = state.job_id
  ) page
) found
WHERE ${unused} AND (found.without_content > 0 OR found.frontier <> found.pending OR found.done_pages <> found.done
  OR found.outcomes <> counted.outcomes OR found.changes <> counted.changes)`,
);

const counters = statement<Violation>(
  'invariant-counters',
  `
SELECT job_id, format('total_pending is %s with %s frontier rows, retrying %s with %s, total_processed %s with %s fetched and failed pages',
  state.total_pending, found.frontier, state.retrying, found.retrying, state.total_processed, found.processed) AS found
FROM ${jobs} CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id) AS frontier,
    (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id AND retry_of IS NOT NULL) AS retrying,
    (SELECT count(*) FROM crawl_pages one
      WHERE one.job_id = state.job_id AND outcome IN ('fetched', 'failed')) AS processed
) found
WHERE ${unused} AND (state.total_pending <> found.frontier OR state.retrying <> found.retrying
  OR state.total_processed <> found.processed)`,
);

/** Both times are the database's: the last checkpoint of a run is older than the event that ended the run. */
const quiet = statement<Violation>(
  'invariant-quiet',
  `
SELECT job_id, format('%s since %s, yet a checkpoint was saved at %s', job.status, last.at, state.updated_at) AS found
FROM ${jobs} JOIN crawl_jobs job ON job.id = job_id CROSS JOIN LATERAL (
  SELECT max(at) AS at FROM job_events event WHERE event.job_id = state.job_id
) last
WHERE ${unused} AND job.status IN ('paused', 'cancelled') AND state.updated_at > last.at`,
);

export const crawlInvariants: readonly Invariant[] = [
  {
    number: 1,
    promise: 'every URL ever found is in the frontier, or has one page, or is counted as not crawled',
    statement: everyUrl,
    advice,
  },
  {
    number: 2,
    promise: 'pages, contents, frontier and counters of a checkpoint appear together or not at all',
    statement: together,
    advice,
  },
  { number: 3, promise: 'the totals of a crawl are the numbers of its rows', statement: counters, advice },
  {
    number: 7,
    promise: 'nothing of a job is saved after its pause or cancel was acknowledged',
    statement: quiet,
    advice: 'Look for a worker of an older version that still runs: `holdfast workers`.',
  },
];
