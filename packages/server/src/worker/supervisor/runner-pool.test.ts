import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { actor, crawlLane, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { renewLeases } from '../../queue/jobs/renew-leases.ts';
import { type PooledRunner, RunnerPool } from './runner-pool.ts';
import type { RunnerExit } from './runner-process.ts';
import { markSuspects } from './suspects.ts';

const queue = new QueueFixture();

/** A process that notes what it is told. It ends when a test says so; told to stop, it first ends its jobs. */
class FakeRunner implements PooledRunner {
  readonly pid = 1;
  readonly rssBytes = 0;
  readonly msSinceTick = 0;
  hasAsked = true;
  readonly told: string[] = [];
  readonly exited: Promise<RunnerExit>;
  readonly #jobs = new Set<ClaimedJob>();
  readonly #onPooledEnd: (id: string, fence: number) => void;
  #exit: (exit: RunnerExit) => void = () => {};

  constructor(onPooledEnd: (id: string, fence: number) => void) {
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.#onPooledEnd = onPooledEnd;
  }

  isStarved = () => false;
  renewedPooled = () => {};
  stopPooled = ({ id }: ClaimedJob, reason: string) => void this.told.push(`${reason} ${id}`);

  runPooled(job: ClaimedJob): void {
    this.told.push(run(job));
    this.#jobs.add(job);
  }

  end(job: ClaimedJob): void {
    this.#jobs.delete(job);
    this.#onPooledEnd(job.id, job.fence);
  }

  stop(): void {
    this.told.push('stop');
    for (const job of this.#jobs) this.end(job);
    this.die('exit code 0');
  }

  kill(): void {
    this.die('SIGKILL');
  }

  die(detail: string): void {
    this.#exit({
      handedOver: false,
      started: true,
      startFailed: !this.hasAsked,
      startedAt: 0,
      dismissed: undefined,
      code: 'runner_crashed',
      detail,
      why: detail,
    });
  }
}

/** The database, where the pool's search for suspects is held up while the gate is shut. */
class Gate implements Queryable {
  #open: Promise<void> = Promise.resolve();
  open: () => void = () => {};

  shut(): void {
    this.#open = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  async query(config: Parameters<Queryable['query']>[0]) {
    if (config.name === 'suspect-pooled-jobs') await this.#open;
    return (await queue.pool.query(config)) as never;
  }
}

let gate: Gate;
let runners: FakeRunner[];
let onEnded: ReturnType<typeof vi.fn<(requeued: boolean) => void>>;
let pool: RunnerPool;
beforeEach(() => {
  gate = new Gate();
  runners = [];
  onEnded = vi.fn();
  pool = new RunnerPool({
    db: gate,
    log: pino({ level: 'silent' }),
    workerId: 'w1',
    heartbeatSeconds: 10,
    wasWell: () => true,
    memoryMb: 100,
    spawn: (onPooledEnd) => {
      const runner = new FakeRunner(onPooledEnd);
      runners.push(runner);
      return runner;
    },
    onEnded,
  });
});

/** So many jobs, the first the oldest, none of which may fail even once. */
async function claimed(count: number): Promise<ClaimedJob[]> {
  for (let made = 0; made < count; made++) await queue.enqueueOne({ max_retries: 0 });
  return await claimJobs(queue.pool, { lanes: [crawlLane], limit: count, workerId: 'w1' });
}

async function claimedOne(): Promise<ClaimedJob> {
  const [job] = await claimed(1);
  if (!job) throw new Error('nothing was claimed');
  return job;
}

/** Jobs that were in a runner when it died, and are claimed again. */
async function suspects(count: number): Promise<ClaimedJob[]> {
  const jobs = await claimed(count);
  for (const job of jobs) await markSuspects(queue.pool, job, [job.id]);
  const reason = 'the runner it shared ended';
  await releaseJobs(
    queue.pool,
    jobs.map((job) => ({ ...job, reason })),
    actor,
  );
  return await claimJobs(queue.pool, { lanes: [crawlLane], limit: count, workerId: 'w1' });
}

const add = (jobs: readonly ClaimedJob[]) => pool.add(jobs, performance.now());
const ran = () => runners.map(({ told }) => told.filter((words) => words.startsWith('run ')).join());
const run = ({ id }: ClaimedJob) => `run ${id}`;

async function renew(): Promise<void> {
  const jobs = pool.ticking;
  const asked = performance.now();
  const renewals = await renewLeases(queue.pool, jobs);
  for (const job of jobs) pool.applyRenewal(job, renewals.get(job), asked);
}

const settled = () => vi.waitUntil(() => onEnded.mock.calls.length > 0, { timeout: 20_000 });
const suspectIds = async () =>
  (await queue.pool.query<{ job_id: string }>('SELECT job_id FROM crawl_suspects')).rows.map(
    ({ job_id }) => job_id,
  );

async function expectReleased(jobs: readonly ClaimedJob[]): Promise<void> {
  for (const { id } of jobs) {
    expect(await showJob(queue.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
    expect((await listEvents(queue.pool, id)).at(-1)).toMatchObject({
      transition: 'release',
      reason: 'the supervisor is stopping',
    });
  }
}

describe('a pool that drains while it looks whether jobs are suspects', () => {
  test.for([1, 3])('hands %i of them back: no retry is burned, and nobody is suspected', async (count) => {
    const atWork = await claimedOne();
    await add([atWork]);
    const jobs = await claimed(count);
    gate.shut();
    const adding = add(jobs);
    const draining = pool.drain();
    expect(runners[0]?.told).toEqual([run(atWork)]);
    gate.open();
    await Promise.all([adding, draining]);
    expect(runners).toHaveLength(1);
    expect(runners[0]?.told).toEqual([run(atWork), 'stop']);
    await expectReleased(jobs);
    for (const { id } of jobs) expect(await suspectIds()).not.toContain(id);
    expect(pool.size).toBe(0);
  });

  test('hands back what is added to it later as well', async () => {
    await pool.drain();
    const jobs = await claimed(2);
    await add(jobs);
    await pool.drain();
    expect(runners).toEqual([]);
    await expectReleased(jobs);
  });
});

describe('a shared runner that dies while other jobs are looked up', () => {
  test('dies without them: a suspect among them runs alone, the others in the next one', async () => {
    const inIt = await claimed(2);
    await add(inIt);
    const [suspect] = (await suspects(1)) as [ClaimedJob];
    const other = await claimedOne();
    gate.shut();
    const adding = add([suspect, other]);
    runners[0]?.die('SIGKILL');
    await settled();
    expect(pool.size).toBe(2);
    gate.open();
    await adding;
    expect(ran()).toEqual([inIt.map(run).join(), run(other), run(suspect)]);
    for (const { id, fence } of [suspect, other])
      expect(await showJob(queue.pool, id)).toMatchObject({ status: 'processing', fence });
    expect(await suspectIds()).not.toContain(other.id);
    for (const { id } of inIt) {
      expect(await showJob(queue.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
      expect(await suspectIds()).toContain(id);
    }
  });

  test('is not to blame for the only job it had not been given', async () => {
    const first = await claimedOne();
    await add([first]);
    runners[0]?.end(first);
    const next = await claimedOne();
    gate.shut();
    const adding = add([next]);
    runners[0]?.die('SIGKILL');
    gate.open();
    await adding;
    expect(ran()).toEqual([run(first), run(next)]);
    expect(await showJob(queue.pool, next.id)).toMatchObject({ status: 'processing', retry_count: 0 });
  });

  test('leaves room for others at once, and its jobs are settled before a drain ends', async () => {
    const inIt = await claimed(2);
    await add(inIt);
    runners[0]?.die('SIGKILL');
    await vi.waitUntil(() => pool.size === 0, { timeout: 20_000 });
    await pool.drain();
    for (const { id } of inIt)
      expect(await showJob(queue.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
  });
});

describe('suspects', () => {
  test('run alone two at a time, in the order of their claim', async () => {
    const jobs = await suspects(32);
    await add(jobs);
    expect(runners).toHaveLength(2);
    expect(pool.size).toBe(32);
    for (const [index, job] of jobs.entries()) {
      expect(ran()).toEqual(jobs.slice(0, index + 2).map(run));
      runners[index]?.end(job);
      expect(runners[index]?.told).toEqual([run(job), 'stop']);
    }
    expect(runners).toHaveLength(32);
    expect(pool.size).toBe(0);
  });

  test('leave the shared runner to the others meanwhile', async () => {
    const waiting = await suspects(3);
    await add(waiting);
    const others = await claimed(2);
    await add(others);
    expect(ran()).toEqual([...waiting.slice(0, 2).map(run), others.map(run).join()]);
  });

  test('make room for the next one when they die', async () => {
    const jobs = await suspects(3);
    await add(jobs);
    runners[0]?.die('SIGKILL');
    await settled();
    expect(ran()).toEqual(jobs.map(run));
    const statuses = await Promise.all(jobs.map(async ({ id }) => (await showJob(queue.pool, id)).status));
    expect(statuses).toEqual(['failed', 'processing', 'processing']);
  });

  test('that wait are handed back by a drain', async () => {
    const jobs = await suspects(5);
    await add(jobs);
    await pool.drain();
    expect(ran()).toEqual(jobs.slice(0, 2).map(run));
    await expectReleased(jobs.slice(2));
    expect(pool.size).toBe(0);
  });

  describe('of which one waits', () => {
    let first: ClaimedJob;
    let waiting: ClaimedJob;
    beforeEach(async () => {
      const jobs = await suspects(3);
      await add(jobs);
      [first, waiting] = [jobs[0] as ClaimedJob, jobs[2] as ClaimedJob];
    });
    const expectLetGo = () => {
      expect(pool.size).toBe(2);
      runners[0]?.end(first);
      expect(runners).toHaveLength(2);
      expect(pool.size).toBe(1);
    };

    test('keep their leases', async () => {
      const leaseEnds = async () =>
        (await queue.pool.query('SELECT lease_expires_at FROM crawl_jobs WHERE id = $1', [waiting.id]))
          .rows[0].lease_expires_at;
      await queue.passSeconds(1);
      const before = await leaseEnds();
      await renew();
      expect((await leaseEnds()).getTime()).toBeGreaterThan(before.getTime());
      expect(pool.size).toBe(3);
    });

    test.for([
      ['paused', pauseJobs],
      ['cancelled', cancelJobs],
    ] as const)('are %s as was asked, without having run', async ([status, ask]) => {
      await ask(queue.pool, [waiting.id], 'user:ann');
      await renew();
      await settled();
      expect(await showJob(queue.pool, waiting.id)).toMatchObject({ status, retry_count: 0 });
      expectLetGo();
    });

    test('are let go when somebody else has them', async () => {
      await queue.pool.query('UPDATE crawl_jobs SET fence = fence + 1 WHERE id = $1', [waiting.id]);
      await renew();
      expect(await showJob(queue.pool, waiting.id)).toMatchObject({ status: 'processing' });
      expect(onEnded).toHaveBeenCalledWith(false);
      expectLetGo();
    });

    test('are let go when their lease could not be renewed', async () => {
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + crawlLane.leaseSeconds * 1000 + 1);
      try {
        pool.watch(false);
      } finally {
        vi.restoreAllMocks();
      }
      expect(await showJob(queue.pool, waiting.id)).toMatchObject({ status: 'processing' });
      expect(runners[0]?.told.at(-1)).toMatch(/^lost /);
      expectLetGo();
    });
  });

  test('that are let go while they are looked up are not run', async () => {
    const job = await claimedOne();
    gate.shut();
    const adding = add([job]);
    await pauseJobs(queue.pool, [job.id], 'user:ann');
    await renew();
    await settled();
    gate.open();
    await adding;
    expect(runners).toEqual([]);
    expect((await showJob(queue.pool, job.id)).status).toBe('paused');
  });

  test('blames the worker for a process that died before its first request, and suspects none of its jobs', async () => {
    const jobs = await claimed(3);
    await pool.add(jobs, performance.now());
    const [runner] = runners;
    if (runner) runner.hasAsked = false;
    expect([pool.unproven, pool.isProven]).toEqual([3, false]);
    runner?.die('exit code 1');
    await vi.waitUntil(() => onEnded.mock.calls.length > 0);
    for (const { id } of jobs) {
      expect(await showJob(queue.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
      expect((await listEvents(queue.pool, id)).at(-1)?.transition).toBe('failStart');
    }
    const ids = jobs.map(({ id }) => id);
    const suspected = 'SELECT FROM crawl_suspects WHERE job_id = ANY ($1)';
    expect((await queue.pool.query(suspected, [ids])).rowCount).toBe(0);
  });
});
