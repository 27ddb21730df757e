import type { RequestedAction } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type HeldJob, LeaseAnswers, sortById } from './held-job.ts';

/**
 * continue  renewed
 * pause     renewed; checkpoint, then release the job
 * cancel    renewed; abort, then release the job
 * busy      not renewed: another statement holds the row (a checkpoint, which renews by itself); ask again
 * lost      the lease is gone: stop at once, write nothing
 */
export type Renewal = 'continue' | RequestedAction | 'busy' | 'lost';

export interface RenewedJob extends HeldJob {
  /** Percent done, if known. It never decreases, and reaches 100 only on completion. */
  readonly progress?: number;
}

/*
 * SKIP LOCKED: a runner frozen inside its checkpoint must not hold up the other leases. `status::text` matches no partial index:
 * the one on processing jobs has statistics of 0 rows and would slow completions several times. `= ANY ($1)`, here and in all
 * joins with held jobs, keeps a plan made while the table was empty from reading the whole index.
 */
export const renewStatement = statement<HeldJob & { renewal: Renewal }>(
  'renew',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::smallint[]) AS held (id, fence, progress)
),
free AS MATERIALIZED (
  SELECT job.id, held.progress FROM held JOIN crawl_jobs job
    ON job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  FOR NO KEY UPDATE OF job SKIP LOCKED
),
renewed AS (
  UPDATE crawl_jobs job SET
    last_heartbeat = now(),
    lease_expires_at = CASE executor
      WHEN 'bot' THEN least(now() + make_interval(secs => lease_seconds),
                            started_at + make_interval(secs => timeout_seconds))
      ELSE now() + make_interval(secs => lease_seconds) END,
    progress_percentage = greatest(progress_percentage, least(coalesce(free.progress, 0), 99))
  FROM free WHERE job.id = ANY ($1) AND job.id = free.id
  RETURNING job.id, job.fence, job.requested_action
)
SELECT held.id, held.fence,
  CASE WHEN renewed.id IS NOT NULL THEN coalesce(renewed.requested_action::text, 'continue')
       WHEN job.id IS NOT NULL THEN 'busy'
       ELSE 'lost' END AS renewal
FROM held LEFT JOIN renewed USING (id, fence)
LEFT JOIN crawl_jobs job
  ON job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'`,
);

/** Renews the leases of all jobs of a holder and returns what is requested of them. */
export async function renewLeases(
  db: Queryable,
  jobs: readonly RenewedJob[],
): Promise<LeaseAnswers<Renewal>> {
  if (jobs.length === 0) return new LeaseAnswers<Renewal>([]);
  const held = sortById(jobs);
  const rows = await run(db, renewStatement, [
    held.map((job) => job.id),
    held.map((job) => job.fence),
    held.map((job) => job.progress ?? null),
  ]);
  return new LeaseAnswers(rows.map((row) => [row, row.renewal] as const));
}
