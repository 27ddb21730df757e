import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { type Release, releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { asInSettings, neededOrigins } from '../../queue/jobs/waiting-jobs.ts';

/** The worker on whose behalf a supervisor writes. */
export interface Holder {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly heartbeatSeconds: number;
  /** Whether runners worked here up to the one started at this time. */
  readonly wasWell: (startedAt: number) => boolean;
}

/** Gives back a job that nobody here has worked on; no retry is burned. */
export function handBack(
  { job, leaseEnds }: { readonly job: ClaimedJob; readonly leaseEnds: number },
  release: Omit<Release, 'id' | 'fence'>,
  { db, log, workerId }: Holder,
): Promise<void> {
  const write = async () => {
    await releaseJobs(db, [{ ...job, ...release }], `supervisor:${workerId}`);
  };
  return untilAnswered(write, leaseEnds, log.child({ job: job.id }));
}

const retryMs = 500;

/** Repeats a write while the database is away, until the lease ends: then the watchdog has the job. */
export async function untilAnswered(
  write: () => Promise<void>,
  leaseEnds: number,
  log: Logger,
): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      log.warn({ err: error }, 'Could not record the end of a run; trying again');
      if (performance.now() > leaseEnds) return;
      await delay(retryMs);
    }
  }
}

/** Origins that a crawl needs and this worker may not fetch. */
export function forbiddenOrigins(
  payload: Readonly<Record<string, unknown>> | null,
  allowed: readonly string[],
): string[] {
  return neededOrigins(payload).filter((origin) => !allowed.includes(asInSettings(origin)));
}
