import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { crashJobs } from '../../queue/jobs/crash-jobs.ts';
import { supervisorEnds } from '../../queue/jobs/end-run.ts';
import { failStarts } from '../../queue/jobs/fail-starts.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { type Holder, handBack } from './hand-back.ts';
import type { JobRun } from './job-run.ts';
import { markSuspects } from './mark-suspects.ts';
import type { RunnerExit } from './runner-process.ts';
import { untilAnswered } from './until-answered.ts';
import { whatBecame } from './what-became.ts';

/** Why a job is given back whose runner had not even started. */
const dismissals = {
  pause: 'paused before it began',
  cancel: 'cancelled before it began',
  ...supervisorEnds,
  lost: 'the lease is lost',
} as const;

/** Waits for a run's process to end; a job that was not handed over goes to retry at once. */
export async function settleExit(run: JobRun, holder: Holder): Promise<void> {
  const { job, runner } = run;
  const { db, log, workerId } = holder;
  const exit = await runner.exited;
  if (!exit.started) {
    log.error({ job: job.id, detail: exit.detail }, 'No runner could be started; its job is handed back');
    const reason = `the runner ${exit.detail}`;
    return handBack(run, { reason }, holder);
  }
  if (exit.handedOver) return;
  if (exit.dismissed) return handBack(run, { reason: dismissals[exit.dismissed] }, holder);
  publish('runnerDeath', { code: exit.code });
  if (exit.startFailed) {
    const write = () => settleFailedStart([job], exit, holder);
    return await untilAnswered(write, run.leaseEnds, log.child({ job: job.id }));
  }
  const error = new HoldfastError(exit.code, exit.detail);
  // When the database does not answer, the watchdog decides.
  let outcome: WriteOutcome | undefined;
  const write = async () => {
    if (isOwnDeath(exit.code)) await markSuspects(db, job, runner.inFlight);
    outcome = (await crashJobs(db, [{ ...job, error }], `supervisor:${workerId}`)).get(job);
  };
  await untilAnswered(write, run.leaseEnds, log.child({ job: job.id }));
  const died = exit.code === 'lease_lost' ? 'A runner was ended' : 'A runner died';
  log.warn({ job: job.id, code: exit.code, detail: exit.detail }, `${died}; ${whatBecame(outcome)}`);
}

/** Gives back what the worker is to blame for, as far as anybody else may still try it. */
export async function settleFailedStart(
  jobs: readonly ClaimedJob[],
  { detail, why, startedAt }: RunnerExit,
  { db, log, workerId, heartbeatSeconds, wasWell }: Holder,
): Promise<void> {
  const answers = await failStarts(db, jobs, {
    workerId,
    detail,
    heartbeatSeconds,
    wasWell: wasWell(startedAt),
  });
  for (const job of jobs) {
    const outcome = answers.get(job);
    const became = outcome === 'failed' ? 'its job has failed' : whatBecame(outcome);
    log.warn({ job: job.id, why }, `A runner died before its first request; ${became}`);
  }
}

/** The runner may have died of a page; not when its time was up, its lease lost, or its supervisor ended it. */
function isOwnDeath(code: ErrorCode): boolean {
  return code === 'runner_crashed' || code === 'runner_hung' || code === 'runner_out_of_memory';
}
