import { errors, type JobStatus } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import { recoverShards } from '../shards/recover-shards.ts';
import { burnRetry, leaseEnded, requestedOr, transitionOr } from './end-run-sql.ts';
import { endsWithHeartbeat, leaseEnd } from './held-job.ts';

interface RecoveredJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly prior_worker: string;
  readonly retry_count: number;
  readonly max_retries: number;
}

const ended = requestedOr(
  "CASE WHEN retry_count < max_retries THEN 'pending' WHEN executor = 'bot' THEN 'expired' ELSE 'failed' END",
);

const events = `CASE WHEN executor = 'bot' AND ${ended} = 'pending' THEN 2 ELSE 1 END`;

/*
 * Only the database's clock decides. A locked row is skipped: its holder is alive and writing. A job held by a bot passes through
 * expired, so two events are recorded for it.
 */
export const recoverStatement = statement<RecoveredJob>(
  'recover',
  `
WITH stale AS MATERIALIZED (
  SELECT id, worker_id AS prior_worker, ${endsWithHeartbeat} AS died FROM crawl_jobs
  WHERE status = 'processing' AND ${leaseEnd('crawl_jobs')} <= now()
  LIMIT $1 FOR UPDATE SKIP LOCKED
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, retry_count = ${burnRetry}, run_at = NULL,
    error_code = 'worker_timed_out',
    error_message = CASE WHEN ${ended} IN ('failed', 'expired') THEN $2 WHEN ${endsWithHeartbeat} THEN 'Worker died'
      ELSE 'Worker timed out' END,${leaseEnded(ended, events)}
  WHERE id = ANY (ARRAY(SELECT id FROM stale))
  RETURNING job.id, job.executor, job.status AS final_status, job.fence, job.event_count, job.retry_count, job.max_retries
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count - later, ${transitionOr('recover')}, step.from_status, step.to_status, fence, $3,
    CASE WHEN died THEN 'Worker died: ' || prior_worker || ' is gone and left the job unfinished'
      ELSE 'Worker timed out: ' || prior_worker || ' let its lease run out' END
  FROM ended JOIN stale USING (id)
  CROSS JOIN LATERAL (
    SELECT 0 AS later, 'processing'::job_status AS from_status, final_status AS to_status
    WHERE executor <> 'bot' OR final_status <> 'pending'
    UNION ALL SELECT 1, 'processing', 'expired' WHERE executor = 'bot' AND final_status = 'pending'
    UNION ALL SELECT 0, 'expired', 'pending' WHERE executor = 'bot' AND final_status = 'pending'
  ) step
)
SELECT id, final_status AS status, prior_worker, retry_count, max_retries FROM ended JOIN stale USING (id)`,
);

/** Ends up to `limit` leases that ran out. Any number of watchdogs may run at once. */
export function recoverJobs(db: Queryable, actor: string, limit = 1000): Promise<RecoveredJob[]> {
  return run(db, recoverStatement, [limit, errors.worker_timed_out.message, actor]);
}

const batch = 1000;

interface SweptLeases {
  readonly jobs: readonly RecoveredJob[];
  readonly shards: number;
}

/**
 * The watchdog's turn: ends every lease that ran out and logs what became of each job. Shards come first: with its last runner, the lease
 * of a crawl ends too. Returns the jobs, and how many shards are free.
 */
export async function sweepLeases(db: Queryable, log: Logger, workerId: string): Promise<SweptLeases> {
  const shards = await recoverShards(db, log);
  const jobs: RecoveredJob[] = [];
  for (;;) {
    const recovered = await recoverJobs(db, `watchdog:${workerId}`, batch);
    for (const job of recovered) report(log, job);
    jobs.push(...recovered);
    if (recovered.length < batch) return { jobs, shards };
  }
}

function report(log: Logger, { id, status, prior_worker, retry_count, max_retries }: RecoveredJob): void {
  publish('leaseExpiry', { status });
  const fields = { job: id, status, prior_worker };
  if (status === 'pending')
    log.warn(fields, `Recovering stale job ${id} (Retry ${retry_count}/${max_retries})`);
  else if (status === 'failed' || status === 'expired') log.error(fields, `Job ${id} failed permanently`);
  else log.warn(fields, `Stale job ${id} is ${status}, as was requested`);
}
