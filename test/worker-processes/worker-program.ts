// A worker made of the queue's own parts, whose work is to write down that it ran. HOLD=1: it never finishes a job.
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createPool } from '../../packages/server/src/base/database/create-pool.ts';
import { runPeriodically } from '../../packages/server/src/base/process/periodic-task.ts';
import { Batcher } from '../../packages/server/src/queue/jobs/batcher.ts';
import type { ClaimedJob } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { ClaimLoop } from '../../packages/server/src/queue/jobs/claim-loop.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { Listener } from '../../packages/server/src/queue/jobs/notifications.ts';
import { sweepLeases } from '../../packages/server/src/queue/jobs/recover-jobs.ts';

const { DATABASE_URL: url = '', WORKER_ID: workerId = '', HOLD: hold } = process.env;
const log = pino(pino.destination({ fd: 1, sync: true }));
const pool = createPool({ connectionString: url }, log, { name: workerId });
const listener = new Listener({ url }, log);
const completions = new Batcher(async (jobs: ClaimedJob[]) => {
  const outcomes = await completeJobs(pool, jobs, `supervisor:${workerId}`);
  return (job) => outcomes.get(job);
});
let running = 0;
const loop = new ClaimLoop({
  db: pool,
  log,
  workerId,
  lanes: [{ kind: 'crawl', executor: 'builtin', leaseSeconds: 120 }],
  pollMs: 1_000,
  listener,
  capacity: () => 3 - running,
  onJobs: (jobs) => {
    for (const job of jobs) void work(job);
  },
});

async function work(job: ClaimedJob): Promise<void> {
  running++;
  log.info({ job: job.id }, 'claimed');
  if (hold) return;
  await pool.query('INSERT INTO runs (job_id, worker_id) VALUES ($1, $2)', [job.id, workerId]);
  await delay(20); // the work itself; long enough for the other worker to get its share
  await completions.add(job);
  running--;
  loop.wake();
}

await listener.start();
loop.start();
if (!hold) runPeriodically('The watchdog', 0.2, log, () => sweepLeases(pool, log, workerId));
log.info('ready');
