import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import type { Listener } from '../jobs/notifications.ts';
import { makeDueJobs } from './make-due-jobs.ts';

export interface SchedulerOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly everySeconds: number;
  /** Wakes it before its time when a policy is made or changed, and when the database is back. */
  readonly listener: Listener;
  /** Jobs were made, and are committed. */
  readonly onJobs: () => Promise<unknown>;
}

/** Makes the jobs of policies as they fall due: at once, then every so many seconds, and when woken. */
export function startScheduler(options: SchedulerOptions): PeriodicTask {
  const { db, log, workerId, everySeconds, listener, onJobs } = options;
  const task = runPeriodically('The scheduler', everySeconds, log, async (signal) => {
    if ((await makeDueJobs(db, log, workerId, signal)).length > 0) await onJobs();
  });
  listener.on('policy', () => task.soon());
  task.soon();
  return task;
}
