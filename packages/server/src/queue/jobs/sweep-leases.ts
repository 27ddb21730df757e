import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import { type RecoveredJob, recoverJobs } from './recover-jobs.ts';

const batch = 1000;

/** The watchdog's turn: ends every lease that ran out, and says what became of each job. */
export async function sweepLeases(db: Queryable, log: Logger, workerId: string): Promise<RecoveredJob[]> {
  const all: RecoveredJob[] = [];
  for (;;) {
    const recovered = await recoverJobs(db, `watchdog:${workerId}`, batch);
    for (const job of recovered) report(log, job);
    all.push(...recovered);
    if (recovered.length < batch) return all;
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
