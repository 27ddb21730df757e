import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { type Release, releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { untilAnswered } from './until-answered.ts';

/** On whose behalf a supervisor writes, and where. */
export interface Holder {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly heartbeatSeconds: number;
  /** Whether runners worked here until the one that was started then. */
  readonly wasWell: (startedAt: number) => boolean;
}

/** Gives a job back that nobody has worked on here; no retry is burned. */
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
