import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { crashJobs } from '../../queue/jobs/crash-jobs.ts';
import { supervisorEnds } from '../../queue/jobs/end-run.ts';
import { failStarts } from '../../queue/jobs/fail-starts.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { giveUpShard } from '../../queue/shards/give-up-shard.ts';
import type { Dispatch } from './dispatch.ts';
import { type Holder, handBack, untilAnswered } from './hand-back.ts';
import type { RunnerExit } from './runner-process.ts';
import { markSuspects } from './suspects.ts';

/** The reason in the event of a job whose runner was dismissed before it had started. */
const dismissals = {
  pause: 'paused before it began',
  cancel: 'cancelled before it began',
  ...supervisorEnds,
  lost: 'the lease is lost',
} as const;

/** Waits for the runner to end, and settles a job that it did not hand over: as a rule, it is retried at once. */
export async function settleExit(dispatch: Dispatch, holder: Holder): Promise<void> {
  const { job, runner } = dispatch;
  const { db, log, workerId } = holder;
  const exit = await runner.exited;
  if (job.ticket !== undefined && !exit.handedOver && !(await wasLastRunner(dispatch, exit, holder))) return;
  if (!exit.started) {
    log.error({ job: job.id, detail: exit.detail }, 'No runner could be started; its job is handed back');
    const reason = `the runner ${exit.detail}`;
    return handBack(dispatch, { reason }, holder);
  }
  if (exit.handedOver) return;
  if (exit.dismissed) return handBack(dispatch, { reason: dismissals[exit.dismissed] }, holder);
  publish('runnerDeath', { code: exit.code });
  if (exit.startFailed) {
    const write = () => settleFailedStart([job], exit, holder);
    return await untilAnswered(write, dispatch.leaseEnds, log.child({ job: job.id }));
  }
  const error = new HoldfastError(exit.code, exit.detail);
  // Stays undefined while the database does not answer: then the watchdog decides.
  let outcome: WriteOutcome | undefined;
  const write = async () => {
    if (isOwnDeath(exit.code)) await markSuspects(db, job, runner.inFlight);
    outcome = (await crashJobs(db, [{ ...job, error }], `supervisor:${workerId}`)).get(job);
  };
  await untilAnswered(write, dispatch.leaseEnds, log.child({ job: job.id }));
  const died = exit.code === 'lease_lost' ? 'A runner was ended' : 'A runner died';
  log.warn({ job: job.id, code: exit.code, detail: exit.detail }, `${died}; ${whatBecame(outcome)}`);
}

/**
 * In a crawl with several shards: whether the dead runner was its only one, so that its death ends the run of the job. Otherwise its shard
 * is free again, the others go on, and no retry is burned.
 */
async function wasLastRunner(dispatch: Dispatch, exit: RunnerExit, { db, log }: Holder): Promise<boolean> {
  const { job, runner } = dispatch;
  let became: string | undefined;
  await untilAnswered(
    async () => {
      if (exit.started && !exit.dismissed && isOwnDeath(exit.code))
        await markSuspects(db, job, runner.inFlight);
      became = (await giveUpShard(db, job)).became;
    },
    dispatch.leaseEnds,
    log.child({ job: job.id }),
  );
  if (became === 'last') return true;
  if (exit.started && !exit.dismissed) publish('runnerDeath', { code: exit.code });
  const then = became === 'left' ? 'its shard is free for another' : 'it had lost its shard before';
  const fields = { job: job.id, code: exit.code, detail: exit.detail };
  if (exit.dismissed) log.debug(fields, `A runner was not needed; ${then}`);
  else
    log.warn(
      fields,
      `A runner of a shared crawl died; ${became === undefined ? 'its shard is recovered when its lease ends' : then}`,
    );
  return false;
}

/** Gives back jobs whose runner failed to start, which is blamed on this worker (ADR 24). */
async function settleFailedStart(
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

/** Whether the runner may have died of a page: not when its time was up, its lease lost, or its supervisor ended it. */
function isOwnDeath(code: ErrorCode): boolean {
  return code === 'runner_crashed' || code === 'runner_hung' || code === 'runner_out_of_memory';
}

/** Settles the jobs that a pooled runner left behind when it ended. */
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
    // A suspect of a pooled runner is the job itself, named by its own id.
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
        log.warn(death, 'A pooled runner died; its jobs are handed back, and each runs alone next time');
      else log.error(death, 'No runner could be started; its jobs are handed back');
    }
  } catch (error) {
    log.warn(
      { ...death, err: error },
      'Could not record the end of a runner; its jobs are recovered when their leases end',
    );
  }
}

/** What became of a job whose runner ended without handing it over; undefined: not known. docs/operations.md explains these lines. */
function whatBecame(outcome: WriteOutcome | undefined): string {
  switch (outcome) {
    case undefined:
      return 'its job is recovered when its lease ends';
    case 'pending':
      return 'its job is retried';
    case 'failed':
      return 'its job has failed: no retries left';
    case 'lost':
      return 'it had lost its job before';
    default:
      return `its job is ${outcome}, as requested`;
  }
}
