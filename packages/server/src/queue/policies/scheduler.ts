import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import type { Listener } from '../jobs/notifications.ts';
import { liveJobOf } from './find-policies.ts';

export interface DueJob {
  readonly job_id: string;
  readonly policy_id: string;
  readonly url: string;
  readonly scheduled_for: Date;
}

/** Crawls default to recrawls, which fetch only what changed; the first crawl of a policy has no baseline. */
const payload = `CASE kind WHEN 'crawl' THEN '{"recrawl": true}'::jsonb || options ELSE options END
    || jsonb_build_object('url', url)`;

/*
 * Policies are read under their locks; locked ones belong to another scheduler and are skipped. The job, its event and the next
 * run are written together, so a scheduler may die anywhere. The next run is a safety net: the job's end sets a better one.
 *
 * The snapshot may be older than the lock and miss a job that another scheduler just created. The unique keys (one live job per
 * policy, one job per due time) then refuse a second one, and the next turn sees the first. Policies with a live job do not count
 * against the limit. A due time that already had its job gets no second one.
 */
export const createDueJobsStatement = statement<DueJob>(
  'create-due-jobs',
  `
WITH due AS MATERIALIZED (
  SELECT * FROM crawl_policies policy
  WHERE enabled AND NOT has_live_job AND next_run_at <= now() AND ${liveJobOf('policy')} IS NULL
  ORDER BY next_run_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
),
created AS (
  INSERT INTO crawl_jobs (event_count, kind, executor, payload, priority, max_retries, retry_backoff_seconds, timeout_seconds,
    lock_ttl_seconds, host, dedupe_key, policy_id, scheduled_for, user_id)
  SELECT 1, kind, executor, ${payload}, priority, max_retries, retry_backoff_minutes * 60,
    timeout_minutes * 60, lock_ttl_seconds, CASE executor WHEN 'bot' THEN host END, 'policy:' || id, id, next_run_at, user_id
  FROM due
  ON CONFLICT DO NOTHING
  RETURNING id, policy_id, scheduled_for, event_count, status, fence, payload
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason)
  SELECT id, event_count, 'enqueue', status, fence, $2, 'policy ' || policy_id FROM created
),
passed AS (
  UPDATE crawl_policies policy SET
    next_run_at = now() + make_interval(secs => (frequency_hours * 3600)::float8),
    has_live_job = id = ANY (ARRAY(SELECT policy_id FROM created))
  WHERE id = ANY (ARRAY(
    SELECT policy_id FROM created
    UNION ALL
    SELECT due.id FROM due CROSS JOIN LATERAL (
      SELECT FROM crawl_jobs job WHERE job.policy_id = due.id AND job.scheduled_for = due.next_run_at LIMIT 1
    ) earlier))
)
SELECT id AS job_id, policy_id, payload ->> 'url' AS url, scheduled_for FROM created`,
);

/** Creates the jobs of up to `limit` due policies. Any number of schedulers may run at once. */
export function createDueJobs(db: Queryable, actor: string, limit = 500): Promise<DueJob[]> {
  return run(db, createDueJobsStatement, [limit, actor]);
}

const batch = 500;

/** The scheduler's turn: creates the jobs of all due policies, a batch at a time. */
export async function makeDueJobs(
  db: Queryable,
  log: Logger,
  workerId: string,
  signal?: AbortSignal,
): Promise<DueJob[]> {
  const all: DueJob[] = [];
  while (!signal?.aborted) {
    const made = await createDueJobs(db, `scheduler:${workerId}`, batch);
    for (const job of made)
      log.info({ job: job.job_id, policy: job.policy_id }, `Created job ${job.job_id} for a due policy`);
    all.push(...made);
    // Also fewer when other schedulers took some; the rest is theirs or due in the next turn.
    if (made.length < batch) break;
  }
  return all;
}

interface SchedulerOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly everySeconds: number;
  /** Wakes the scheduler when a policy is created or changed, and when the database is back. */
  readonly listener: Listener;
  /** Jobs were created and committed. */
  readonly onJobs: () => Promise<unknown>;
}

/** Creates the jobs of policies as they fall due: at once, every `everySeconds`, and when woken. */
export function startScheduler(options: SchedulerOptions): PeriodicTask {
  const { db, log, workerId, everySeconds, listener, onJobs } = options;
  const task = runPeriodically('The scheduler', everySeconds, log, async (signal) => {
    if ((await makeDueJobs(db, log, workerId, signal)).length > 0) await onJobs();
  });
  listener.on('policy', () => task.soon());
  task.soon();
  return task;
}
