import { type Database, openDatabase } from '../../../packages/server/src/base/database/open-database.ts';
import { Pipeline } from '../../../packages/server/src/base/database/pipeline.ts';
import { Batcher } from '../../../packages/server/src/queue/jobs/batcher.ts';
import type { ClaimedJob } from '../../../packages/server/src/queue/jobs/claim-jobs.ts';
import { ClaimLoop } from '../../../packages/server/src/queue/jobs/claim-loop.ts';
import { completeJobs } from '../../../packages/server/src/queue/jobs/complete-jobs.ts';
import { enqueueJobs } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../../packages/server/src/queue/jobs/held-job.ts';
import type { Lane } from '../../../packages/server/src/queue/jobs/lane.ts';
import { quietLog } from '../quiet-log.ts';
import { batches, type Contender, payload, type Setting } from './contender.ts';

/** Jobs in hand: two batches being claimed, two being completed, and what lies between. */
export const settings: readonly Setting[] = [{ in_hand: 4000 }];

const workerId = 'bench';
const lane: Lane = { kind: 'visit', executor: 'builtin', leaseSeconds: 120 };

export async function open(url: string, { in_hand: inHand = 4000 }: Setting): Promise<Contender> {
  const database = await openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog);
  return {
    fill: (jobs) => fill(database, jobs),
    drain: (jobs) => drain(database, jobs, inHand),
    verify: (jobs) => verify(database, jobs),
    close: () => database.close(),
  };
}

export async function fill({ pool }: Pick<Database, 'pool'>, jobs: number): Promise<void> {
  for (const numbers of batches(jobs, 1000)) {
    await enqueueJobs(
      pool,
      numbers.map((number) => ({ kind: 'visit', payload: payload(number) })),
    );
  }
}

export async function drain({ pool }: Pick<Database, 'pool'>, jobs: number, inHand: number): Promise<number> {
  const ends = new Pipeline(pool);
  const started = performance.now();
  const done = Promise.withResolvers<number>();
  const completions = new Batcher<HeldJob, WriteOutcome>(async (held) => {
    const outcomes = await completeJobs(ends, held, `supervisor:${workerId}`);
    return (job) => outcomes.get(job) ?? 'lost';
  });
  let held = 0;
  let completed = 0;
  const loop = new ClaimLoop({
    db: new Pipeline(pool),
    log: quietLog,
    workerId,
    lanes: [lane],
    pollMs: 1000,
    capacity: () => inHand - held,
    onJobs: (claimed) => {
      held += claimed.length;
      for (const job of claimed) work(job).catch(done.reject);
    },
  });
  async function work(job: ClaimedJob): Promise<void> {
    await noop(job);
    const outcome = await completions.add({ id: job.id, fence: job.fence });
    if (outcome !== 'completed') throw new Error(`job ${job.id} is ${outcome}`);
    held -= 1;
    completed += 1;
    if (completed === jobs) done.resolve(performance.now() - started);
    loop.wake();
  }
  loop.start();
  const ms = await done.promise;
  await loop.stop();
  return ms;
}

async function noop(_job: ClaimedJob): Promise<void> {}

async function verify({ pool }: Database, jobs: number): Promise<void> {
  const { rows } = await pool.query(`
    SELECT
      (SELECT count(*) FROM crawl_jobs WHERE status = 'completed' AND fence = 1 AND event_count = 3) AS completed,
      (SELECT count(*) FROM crawl_jobs) AS jobs,
      (SELECT count(*) FROM job_events) AS events,
      (SELECT count(*) FROM (
        SELECT FROM job_events GROUP BY job_id
        HAVING array_agg(transition ORDER BY event_no) = '{enqueue,claim,complete}'
          AND array_agg(fence ORDER BY event_no) = '{0,1,1}') whole) AS histories`);
  const { completed, jobs: all, events, histories } = rows[0];
  if (completed !== jobs || all !== jobs || events !== 3 * jobs || histories !== jobs) {
    throw new Error(`holdfast: of ${jobs} jobs ${JSON.stringify(rows[0])}`);
  }
}
