// A runner process of one crawl. It writes its own checkpoints, and stops by itself when its supervisor is gone or its lease is over.
import { crawlOptions, HoldfastError } from '@holdfast/contract';
import { type OpenCrawl, openCrawl } from '../../crawl/run/open-crawl.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { endRun } from '../../queue/jobs/end-run.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { checkPayload } from '../../queue/jobs/job-request.ts';
import { machineNow, type ToRunner } from './messages.ts';
import { openRunner, orphanMs } from './open-runner.ts';

const { configuration, log, pool, send, tick, onRequest, renderer } = await openRunner();
let leaseEnds = 0;
let lastHeard = performance.now();
let crawl: OpenCrawl | undefined;
let hasJob = false;
let stopBeforeStart: Extract<ToRunner, { type: 'stop' }> | undefined;

process.on('message', (message: ToRunner) => {
  lastHeard = performance.now();
  if (message.type === 'run') {
    hasJob = true;
    void runJob(message.job, message.leaseEndsAt - machineNow());
  }
  if (message.type === 'lease') leaseEnds = performance.now() + message.leaseEndsAt - machineNow();
  if (message.type !== 'stop') return;
  if (!hasJob) process.exit(0);
  if (crawl) crawl.stop(message.reason);
  else stopBeforeStart = message;
});

// A dead supervisor cannot renew the lease: save what there is, give the job back, and exit.
process.on('disconnect', () => loseSupervisor('gone'));

function loseSupervisor(how: 'gone' | 'silent'): void {
  if (!crawl) process.exit(0);
  crawl.stop(how, orphanMs / 2);
  setTimeout(() => process.exit(1), orphanMs).unref();
}

/**
 * A supervisor that is stopped but not dead closes no pipe. After a quarter of the lease without a message the job is given back, so
 * that another worker can have it long before the lease runs out.
 */
function watchSupervisor(leaseSeconds: number): void {
  const timer = setInterval(() => {
    if (performance.now() - lastHeard < (leaseSeconds * 1000) / 4) return;
    clearInterval(timer);
    log.warn('The supervisor is silent; giving the job back');
    loseSupervisor('silent');
  }, 250);
}

async function runJob(job: ClaimedJob, leaseMs: number): Promise<void> {
  leaseEnds = performance.now() + leaseMs;
  tick();
  setInterval(tick, Math.min(500, (job.lease_seconds * 1000) / 20));
  const { workerId = 'unnamed' } = configuration;
  const actor = `supervisor:${workerId}`;
  try {
    checkPayload(job);
    const options = crawlOptions.parse(job.payload);
    crawl = await openCrawl({
      db: pool,
      log: log.child({ job: job.id, fence: job.fence }),
      job,
      options,
      configuration,
      onRequest,
      renderer,
      leaseEnds: () => leaseEnds,
      actor,
    });
    if (stopBeforeStart) crawl.stop(stopBeforeStart.reason);
    watchSupervisor(job.lease_seconds);
    const status = await crawl.ended;
    log.info({ job: job.id, status }, `Run ended: ${status}`);
    await crawl.close();
    sendEnd(status);
  } catch (error) {
    await failRun(job, error, actor);
  }
  await pool.end().catch(() => {});
  setImmediate(() => process.exit());
}

function sendEnd(status: WriteOutcome): void {
  tick();
  send({ type: 'ended', status });
  process.exitCode = 0;
}

/** What a job can be at fault for before its first request. */
const faults: readonly string[] = [
  'payload_invalid',
  'profile_not_found',
  'proxy_not_found',
  'secret_key_missing',
  'secret_damaged',
];

/** An invalid payload is the job's fault. Anything else is the fault of this process or the machine, and ends it. */
async function failRun(job: ClaimedJob, error: unknown, actor: string): Promise<void> {
  try {
    if (!(error instanceof HoldfastError && faults.includes(error.code))) throw error;
    log.info({ job: job.id, code: error.code }, `A ${job.kind} job failed: ${error.message}`);
    const end = { how: 'failed', error, isFinal: error.retry === 'never' } as const;
    sendEnd(await endRun(job, end, { db: pool, actor, leaseEnds: () => leaseEnds }));
  } catch (error) {
    log.error({ err: error, job: job.id }, 'The run failed unexpectedly');
    process.exitCode = 1;
  }
}

send({ type: 'ready' });
