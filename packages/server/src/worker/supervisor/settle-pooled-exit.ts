import { HoldfastError } from '@holdfast/contract';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { crashJobs } from '../../queue/jobs/crash-jobs.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import type { Holder } from './hand-back.ts';
import { markSuspects } from './mark-suspects.ts';
import type { RunnerExit } from './runner-process.ts';
import { settleFailedStart } from './settle-exit.ts';
import { whatBecame } from './what-became.ts';

/** Sees to the jobs that a pooled process was given and left behind when it ended. */
export async function settlePooledExit(
  left: readonly ClaimedJob[],
  exit: RunnerExit,
  holder: Holder,
): Promise<void> {
  const { db, log, workerId } = holder;
  publish('runnerDeath', { code: exit.code });
  const actor = `supervisor:${workerId}`;
  const death = { jobs: left.length, code: exit.code, detail: exit.detail };
  try {
    if (exit.started && exit.startFailed) return await settleFailedStart(left, exit, holder);
    // What it was at is the job itself, so that its own id names it.
    if (exit.started) for (const job of left) await markSuspects(db, job, [job.id]);
    const [only] = left;
    if (only && left.length === 1 && exit.started) {
      const error = new HoldfastError(exit.code, exit.detail);
      const answers = await crashJobs(db, [{ ...only, error }], actor);
      log.warn({ ...death, job: only.id }, `A pooled runner died; ${whatBecame(answers.get(only))}`);
    } else {
      const reason = `the runner it shared ended: ${exit.detail}`;
      await releaseJobs(
        db,
        left.map((job) => ({ ...job, reason })),
        actor,
      );
      if (exit.started)
        log.warn(death, 'A pooled runner died; its jobs are handed back, and each next runs alone');
      else log.error(death, 'No runner could be started; its jobs are handed back');
    }
  } catch (error) {
    log.warn(
      { ...death, err: error },
      'The end of a runner could not be recorded; its jobs are recovered when their leases run out',
    );
  }
}
