// A runner of many short jobs (visits, collections) at a time, until it is told to end.
import { machineNow, type ToRunner } from './messages.ts';
import { openRunner, orphanMs } from './open-runner.ts';
import { PooledJobs } from './pooled-jobs.ts';

const { configuration, log, pool, send, tick, onRequest, renderer } = await openRunner();
let jobs: PooledJobs | undefined;

function openJobs(): PooledJobs {
  if (!jobs) {
    jobs = new PooledJobs({ pool, log, configuration, send, onRequest, renderer });
    setInterval(tick, 500);
  }
  return jobs;
}

/** Hands the jobs back and exits; jobs not handed back in time are recovered when their leases end. */
async function end(why: 'drain' | 'gone', patienceMs: number): Promise<void> {
  // It has never had a job: there is nothing to hand back.
  if (!jobs) process.exit(0);
  setTimeout(() => process.exit(1), patienceMs).unref();
  await jobs.drain(why);
  await pool.end().catch(() => {});
  process.exit(0);
}

process.on('message', (message: ToRunner) => {
  if (message.type === 'runPooled') openJobs().start(message.job, message.leaseEndsAt - machineNow());
  if (message.type === 'pooledLease')
    jobs?.renewed(message.id, message.fence, message.leaseEndsAt - machineNow());
  if (message.type === 'stopPooled') jobs?.stop(message.id, message.fence, message.reason);
  if (message.type === 'stop') void end('drain', 10_000);
});
process.on('disconnect', () => void end('gone', orphanMs));

send({ type: 'ready' });
