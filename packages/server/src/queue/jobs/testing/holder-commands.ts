import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Queryable } from '../../../base/database/statement.ts';
import { completeJobs } from '../complete-jobs.ts';
import { crashJobs } from '../crash-jobs.ts';
import type { FailedRun } from '../end-run-sql.ts';
import { failJobs } from '../fail-jobs.ts';
import { failStarts } from '../fail-starts.ts';
import type { HeldJob, LeaseAnswers } from '../held-job.ts';
import { type Release, releaseJobs } from '../release-jobs.ts';
import { type RenewedJob, renewLeases } from '../renew-leases.ts';
import { retryJobsLater } from '../retry-jobs-later.ts';
import { retryJobsNow } from '../retry-jobs-now.ts';
import { command, type QueueCommand } from './queue-command.ts';
import type { QueueModel } from './queue-model.ts';

/** One lease and everything that its holder may report. */
type Write = RenewedJob & FailedRun & Release;

const draft = fc.record({
  pick: fc.nat(60),
  among: fc.constantFrom('running', 'running', 'stolen', 'stolen', 'latest', 'all'),
  progress: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  waitSeconds: fc.option(fc.constantFrom(0, 20, 500), { nil: undefined }),
  code: fc.constantFrom<ErrorCode>('fetch_timed_out', 'site_error', 'runner_crashed'),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;
const drafts = fc.array(draft, { minLength: 1, maxLength: 4 });

/** Leases of running jobs, leases lost to the job's next holder, or any lease ever given. No duplicates. */
function toWrites(model: QueueModel, chosen: readonly Draft[]): Write[] {
  const running = new Map(model.jobs.map((job) => [job.id, job.status === 'processing' ? job.fence : null]));
  const leases = {
    running: model.leases.filter(({ id, fence }) => running.get(id) === fence),
    stolen: model.leases.filter(({ id, fence }) => (running.get(id) ?? 0) > fence),
    latest: model.leases.filter(({ id }) => id === model.latest?.id),
    all: model.leases,
  };
  const writes = new Map<HeldJob, Write>();
  for (const [index, { pick, among, waitSeconds, progress, code }] of chosen.entries()) {
    const offered = leases[among].length > 0 ? leases[among] : leases.all;
    const lease = offered[pick % offered.length] as HeldJob;
    // Apart from each other, so that the order of later claims is certain.
    const wait = (waitSeconds ?? 0) + index / 8;
    writes.set(lease, {
      ...lease,
      reason: 'drain',
      error: new HoldfastError(code),
      ...(progress !== undefined && { progress }),
      ...(waitSeconds !== undefined && { retryAfterSeconds: wait, notBeforeSeconds: wait }),
    });
  }
  return [...writes.values()];
}

function holderCommand(
  name: string,
  actor: string,
  send: (db: Queryable, writes: readonly Write[], actor: string) => Promise<LeaseAnswers<string>>,
  expected: (model: QueueModel, write: Write) => string,
): fc.Arbitrary<QueueCommand> {
  return drafts.map((chosen) =>
    command(
      `${name} ${fc.stringify(chosen)}`,
      async (model, db) => {
        const writes = toWrites(model, chosen);
        const answers = await send(db, writes, actor);
        const told = writes.map((write) => [write.id, write.fence, answers.get(write)]);
        expect(told).toEqual(writes.map((write) => [write.id, write.fence, expected(model, write)]));
      },
      ({ leases }) => leases.length > 0,
    ),
  );
}

const supervisor = 'supervisor:w1';
const startFailed = new HoldfastError('runner_crashed', 'before its first request, SIGKILL');
const bot = 'bot:b1';

export const holderCommands: fc.Arbitrary<QueueCommand>[] = [
  holderCommand('renew', supervisor, renewLeases, (model, write) => model.renew(write, write.progress)),
  holderCommand('complete', supervisor, completeJobs, (model, write) => model.complete(write, supervisor)),
  holderCommand('retryLater', supervisor, retryJobsLater, (model, write) =>
    model.retryLater(write, write.error, write.retryAfterSeconds, supervisor),
  ),
  holderCommand('retryNow', bot, retryJobsNow, (model, write) => model.retryNow(write, write.error, bot)),
  holderCommand('fail', supervisor, failJobs, (model, write) => model.fail(write, write.error, supervisor)),
  holderCommand('crash', supervisor, crashJobs, (model, write) =>
    model.crash(write, write.error, supervisor),
  ),
  ...['w1', 'w2'].map((workerId) =>
    holderCommand(
      `failStart on ${workerId}`,
      `supervisor:${workerId}`,
      (db, writes) =>
        failStarts(
          db,
          writes.map((write) => ({ ...write, payload: {} })),
          { workerId, detail: 'SIGKILL', heartbeatSeconds: 10, wasWell: true },
        ),
      (model, write) => model.failStart(write, startFailed, workerId, `supervisor:${workerId}`),
    ),
  ),
  holderCommand('release', supervisor, releaseJobs, (model, write) =>
    model.release(write, write.notBeforeSeconds, supervisor),
  ),
];
