// The runner: a process that runs one crawl and ends, or many short jobs (visits, collections) at a time until it is told to
// end. It holds one connection, writes its own checkpoints, and stops by itself when its supervisor is gone or its lease is
// over.
import { crawlOptions, readConfiguration } from '@holdfast/contract';
import { createPool } from '../database/create-pool.ts';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { createLogger } from '../telemetry/create-logger.ts';
import { hear, type Signals } from '../telemetry/signals.ts';
import type { FromRunner, ToRunner } from './messages.ts';
import { openCrawl } from './open-crawl.ts';
import { PooledJobs } from './run-pooled-jobs.ts';

/** It is gone within 5 s of its supervisor; a busy machine may need one of them to end a process. */
const orphanMs = 4_000;

const configuration = readConfiguration(process.env);
const log = await createLogger(configuration);
const pool = createPool({ connectionString: configuration.databaseUrl }, log, { name: 'runner', max: 1 });

let leaseEnds = 0;
let lastHeard = performance.now();
let crawl: Awaited<ReturnType<typeof openCrawl>> | undefined;
let hasJob = false;
let stopBeforeStart: Extract<ToRunner, { type: 'stop' }> | undefined;

const send = (message: FromRunner) => {
  if (process.connected) process.send?.(message, () => undefined);
};
/** Since the last tick: a message for each of them took 0.5 ms, as long as half a page. */
let checkpoints: Signals['checkpoint'][] = [];
hear('checkpoint', (saved) => checkpoints.push(saved));

const tick = () => {
  send({ type: 'tick', rssBytes: process.memoryUsage.rss(), checkpoints });
  checkpoints = [];
};

let pooled: PooledJobs | undefined;
function thePooled(): PooledJobs {
  if (!pooled) {
    pooled = new PooledJobs({ pool, log, configuration, send });
    setInterval(tick, 500);
  }
  return pooled;
}

/** Hands the jobs back and ends; what cannot be handed back in time is recovered when its lease runs out. */
async function endPooled(running: PooledJobs, patienceMs: number): Promise<void> {
  setTimeout(() => process.exit(1), patienceMs).unref();
  await running.drain();
  await pool.end().catch(() => {});
  process.exit(0);
}

process.on('message', (message: ToRunner) => {
  lastHeard = performance.now();
  if (message.type === 'runPooled') thePooled().start(message.job, message.leaseMs);
  if (message.type === 'pooledLease') pooled?.renewed(message.id, message.fence, message.leaseMs);
  if (message.type === 'stopPooled') pooled?.stop(message.id, message.fence, message.reason);
  if (message.type === 'run') {
    hasJob = true;
    void runJob(message.job, message.leaseMs);
  }
  if (message.type === 'lease') leaseEnds = performance.now() + message.leaseMs;
  if (message.type !== 'stop') return;
  if (pooled) return void endPooled(pooled, 10_000);
  // A pooled runner whose only jobs were given to others has nothing to hand back.
  if (!hasJob) process.exit(0);
  if (crawl) crawl.run.stop(message.reason);
  else stopBeforeStart = message;
});

// A supervisor that died cannot renew: save what there is, give the job back, and go.
process.on('disconnect', loseSupervisor);

function loseSupervisor(): void {
  if (pooled) return void endPooled(pooled, orphanMs);
  if (!crawl) process.exit(0);
  crawl.run.stop('drain', orphanMs / 2);
  setTimeout(() => process.exit(1), orphanMs).unref();
}

/**
 * A supervisor that is stopped, not dead, closes no pipe, but is silent. A quarter of the lease without a word is as much as
 * it allows us: then another one must be able to have the job, long before the lease runs out.
 */
function watchSupervisor(leaseSeconds: number): void {
  const timer = setInterval(() => {
    if (performance.now() - lastHeard < (leaseSeconds * 1000) / 4) return;
    clearInterval(timer);
    log.warn('The supervisor is silent; the job is given back');
    loseSupervisor();
  }, 250);
}

// The terminal's Ctrl-C reaches the whole group; the supervisor decides what it means.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function runJob(job: ClaimedJob, leaseMs: number): Promise<void> {
  leaseEnds = performance.now() + leaseMs;
  tick();
  setInterval(tick, Math.min(500, (job.lease_seconds * 1000) / 20));
  const { workerId = 'unnamed' } = configuration;
  try {
    const options = crawlOptions.parse(job.payload);
    crawl = await openCrawl({
      db: pool,
      log: log.child({ job: job.id, fence: job.fence }),
      job,
      options,
      configuration,
      leaseEnds: () => leaseEnds,
      actor: `supervisor:${workerId}`,
    });
    if (stopBeforeStart) crawl.run.stop(stopBeforeStart.reason);
    watchSupervisor(job.lease_seconds);
    const status = await crawl.ended;
    log.info({ job: job.id, status }, `Run ended: ${status}`);
    await crawl.close();
    tick();
    send({ type: 'ended', status });
    process.exitCode = 0;
  } catch (error) {
    log.error({ err: error, job: job.id }, 'The run broke off');
    process.exitCode = 1;
  }
  await pool.end().catch(() => {});
  setImmediate(() => process.exit());
}

send({ type: 'ready' });
