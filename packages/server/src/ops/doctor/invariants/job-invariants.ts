import { statement } from '../../../base/database/statement.ts';
import { leaseEnd } from '../../../queue/jobs/lease-end.ts';
import type { Invariant, Violation } from './invariant.ts';

const advice =
  'Somebody changed rows by hand, or this is a fault of Holdfast: keep `holdfast jobs show ID` and report it.';

const liveLease = statement<Violation>(
  'invariant-live-lease',
  `
SELECT id AS job_id, format('held by %s, whose lease ran out %s s ago', worker_id,
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
    promise: 'no job is processed without a live lease for longer than the watchdog needs',
    statement: liveLease,
    advice: 'No watchdog is running: start `holdfast up` (or `holdfast worker`) anywhere.',
  },
  {
    number: 5,
    promise: 'a fence is handed out once, ends once, and nothing is accepted with an older one',
    statement: oneEnding,
    advice,
  },
  {
    number: 8,
    promise: 'every change of status is in the table of transitions, and in the history',
    statement: recorded,
    advice,
  },
];
