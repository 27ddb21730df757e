import { type Statement, statement } from '../../base/database/statement.ts';
import { shardOf } from '../../crawl/frontier/checkpoint-statement.ts';
import { leaseEnd } from '../../queue/jobs/held-job.ts';

export interface Violation {
  readonly job_id: string;
  readonly found: string;
}

/**
 * Holds for every job at any time, whatever was killed. The SQL finds the jobs that violate it; as a single statement it sees
 * one snapshot, so a checkpoint is in it completely or not at all.
 */
export interface Invariant {
  /** Numbered as in docs/reliability.md; 6 and 9 are about requests, which only the log of the origin shows. */
  readonly number: 1 | 2 | 3 | 4 | 5 | 7 | 8;
  readonly promise: string;
  /** `$1`: the jobs to check; `$2`: seconds after its end within which a lease must have been recovered. */
  readonly statement: Statement<Violation>;
  readonly advice: string;
}

/** `$2` is not used here, but PostgreSQL needs its type. */
const crawls = `unnest($1::uuid[]) AS asked (job_id) JOIN crawl_states state USING (job_id)`;
const unused = '$2::float8 IS NOT NULL';
/** Of crawls with one shard and with several. */
const hosts = `(SELECT job_id, pending, done FROM crawl_hosts UNION ALL SELECT job_id, pending, done FROM crawl_shard_hosts)`;
const crawlAdvice =
  'Pause the job and keep the database as it is for the analysis; `holdfast jobs retry ID --afresh` starts the crawl over.';

const everyUrl = statement<Violation>(
  'invariant-every-url',
  `
SELECT job_id, format('%s URLs found, but %s pages, %s in the frontier and %s not crawled; %s whose record is not what the frontier says, %s twice in the frontier, %s never found',
  found.visited, found.pages, found.frontier, state.not_crawled, found.both, found.twice, found.unknown) AS found
FROM ${crawls} CROSS JOIN LATERAL (
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
FROM ${crawls} CROSS JOIN LATERAL (
  SELECT ARRAY[state.fetched, state.failed, state.skipped, state.redirected] AS outcomes,
    ARRAY[state.new_pages, state.changed, state.unchanged, state.gone] AS changes
) counted CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM crawl_pages page WHERE page.job_id = state.job_id AND outcome = 'fetched' AND NOT EXISTS (
      SELECT FROM crawl_page_contents content WHERE content.url_hash = page.url_hash
        AND content.job_id = coalesce(page.content_job, page.job_id))) AS without_content,
    (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id) AS frontier,
    (SELECT coalesce(sum(pending), 0) FROM ${hosts} one WHERE one.job_id = state.job_id) AS pending,
    (SELECT coalesce(sum(done), 0) FROM ${hosts} one WHERE one.job_id = state.job_id) AS done,
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
FROM ${crawls} CROSS JOIN LATERAL (
  SELECT (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id) AS frontier,
    (SELECT count(*) FROM crawl_frontier one WHERE one.job_id = state.job_id AND retry_of IS NOT NULL) AS retrying,
    (SELECT count(*) FROM crawl_pages one
      WHERE one.job_id = state.job_id AND outcome IN ('fetched', 'failed')) AS processed
) found
WHERE ${unused} AND (state.total_pending <> found.frontier OR state.retrying <> found.retrying
  OR state.total_processed <> found.processed)`,
);

/** A shard's counts are those of its rows, its budget is part of what the crawl has leased, and no page goes beyond the limit. */
const shards = statement<Violation>(
  'invariant-shards',
  `
SELECT job_id, found FROM ${crawls} JOIN crawl_jobs job ON job.id = job_id CROSS JOIN LATERAL (
  SELECT format('shard %s counts %s pending and %s retried URLs with %s and %s', shard, shard.pending, shard.retrying,
    rows.pending, rows.retrying) AS found
  FROM crawl_shards shard CROSS JOIN LATERAL (
    SELECT count(*) AS pending, count(retry_of) AS retrying FROM crawl_frontier one
    WHERE one.job_id = state.job_id AND ${shardOf('one.seq')} = shard.shard
  ) rows
  WHERE shard.job_id = state.job_id AND (rows.pending <> shard.pending OR rows.retrying <> shard.retrying)
  UNION ALL
  SELECT format('%s pages of the limit are leased, %s by shards', state.leased, sum(budget)) FROM crawl_shards shard
  WHERE shard.job_id = state.job_id AND job.status::text = 'processing' AND job.runners IS NOT NULL
  HAVING sum(budget) <> state.leased
  UNION ALL
  SELECT format('%s runners are counted, and %s shards are held', job.runners, count(*) FILTER (WHERE worker_id IS NOT NULL))
  FROM crawl_shards shard WHERE shard.job_id = state.job_id AND job.status::text = 'processing' AND job.runners IS NOT NULL
  HAVING count(*) FILTER (WHERE worker_id IS NOT NULL) <> job.runners
) broken
WHERE ${unused}`,
);

/** Both times are from the database: the last checkpoint of a run is older than the event that ended it. */
const quiet = statement<Violation>(
  'invariant-quiet',
  `
SELECT job_id, format('%s since %s, yet a checkpoint was saved at %s', job.status, last.at, state.updated_at) AS found
FROM ${crawls} JOIN crawl_jobs job ON job.id = job_id CROSS JOIN LATERAL (
  SELECT max(at) AS at FROM job_events event WHERE event.job_id = state.job_id
) last
WHERE ${unused} AND job.status IN ('paused', 'cancelled') AND state.updated_at > last.at`,
);

export const crawlInvariants: readonly Invariant[] = [
  {
    number: 1,
    promise: 'every URL found is in the frontier, has one page, or is counted as not crawled',
    statement: everyUrl,
    advice: crawlAdvice,
  },
  {
    number: 2,
    promise: 'pages, contents, frontier and counters of a checkpoint appear together or not at all',
    statement: together,
    advice: crawlAdvice,
  },
  {
    number: 3,
    promise: 'the totals of a crawl match its rows',
    statement: counters,
    advice: crawlAdvice,
  },
  {
    number: 3,
    promise: 'the counts of each shard match its rows, and those of the crawl its shards',
    statement: shards,
    advice: crawlAdvice,
  },
  {
    number: 7,
    promise: 'nothing of a job is saved after its pause or cancel was acknowledged',
    statement: quiet,
    advice: 'Look for a running worker of an older version: `holdfast workers list`.',
  },
];

const jobAdvice =
  'Rows were changed by hand, or this is a bug of Holdfast: save the output of `holdfast jobs show ID` and report it.';

const liveLease = statement<Violation>(
  'invariant-live-lease',
  `
SELECT id AS job_id, format('held by %s, whose lease expired %s s ago', worker_id,
  round(extract(epoch FROM now() - ${leaseEnd('crawl_jobs')}))) AS found
FROM crawl_jobs WHERE id = ANY ($1::uuid[]) AND status::text = 'processing'
  AND ${leaseEnd('crawl_jobs')} < now() - make_interval(secs => $2::float8)`,
);

const oneEnding = statement<Violation>(
  'invariant-one-ending',
  `
SELECT job.id AS job_id, format('fence %s: %s', event.fence, event.found) AS found
FROM crawl_jobs job CROSS JOIN LATERAL (
  SELECT fence, format('%s claims, %s completions, %s endings', claims, completions, endings) AS found FROM (
    SELECT fence, count(*) FILTER (WHERE transition = 'claim') AS claims,
      count(*) FILTER (WHERE transition = 'complete') AS completions,
      count(*) FILTER (WHERE from_status = 'processing' AND to_status <> 'processing') AS endings
    FROM job_events WHERE job_id = job.id GROUP BY fence
  ) lease WHERE claims > 1 OR completions > 1 OR endings > 1
  UNION ALL
  SELECT fence, format('after fence %s', before) FROM (
    SELECT fence, lag(fence) OVER (ORDER BY event_no) AS before FROM job_events WHERE job_id = job.id
  ) step WHERE fence < before
  UNION ALL
  SELECT job.fence, format('the last event has %s', max(fence)) FROM job_events WHERE job_id = job.id
  HAVING max(fence) <> job.fence
) event
WHERE job.id = ANY ($1::uuid[]) AND $2::float8 IS NOT NULL`,
);

const recorded = statement<Violation>(
  'invariant-recorded',
  `
SELECT job.id AS job_id, step.found FROM crawl_jobs job CROSS JOIN LATERAL (
  SELECT format('event %s: %s from %s to %s, after %s', event_no, transition, from_status, to_status, before) AS found
  FROM (
    SELECT *, lag(to_status) OVER events AS before, row_number() OVER events AS position
    FROM job_events WHERE job_id = job.id WINDOW events AS (ORDER BY event_no)
  ) event
  WHERE from_status IS DISTINCT FROM before OR event_no <> position OR NOT is_legal_move(transition, from_status, to_status)
  UNION ALL
  SELECT format('%s with %s events, of which the last says %s and has number %s', job.status, job.event_count,
    last.to_status, last.event_no)
  FROM (SELECT event_no, to_status FROM job_events WHERE job_id = job.id ORDER BY event_no DESC LIMIT 1) last
  WHERE last.to_status <> job.status OR last.event_no <> job.event_count
) step
WHERE job.id = ANY ($1::uuid[]) AND $2::float8 IS NOT NULL`,
);

export const jobInvariants: readonly Invariant[] = [
  {
    number: 4,
    promise: 'no job is processing without a live lease for longer than the watchdog needs',
    statement: liveLease,
    advice: 'No watchdog is running: start `holdfast up` or `holdfast worker` on any machine.',
  },
  {
    number: 5,
    promise: 'a fence is issued once and ends once; older fences are refused',
    statement: oneEnding,
    advice: jobAdvice,
  },
  {
    number: 8,
    promise: 'every change of status is a legal transition and is recorded',
    statement: recorded,
    advice: jobAdvice,
  },
];

export const invariants: readonly Invariant[] = [...crawlInvariants, ...jobInvariants].sort(
  (a, b) => a.number - b.number,
);
