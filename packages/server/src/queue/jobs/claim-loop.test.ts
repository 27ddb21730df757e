import { once } from 'node:events';
import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { actor, crawl, crawlLane, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { type ClaimedJob, readClaimed } from './claim-jobs.ts';
import { ClaimLoop, type ClaimLoopOptions, largestClaim } from './claim-loop.ts';
import { completeJobs } from './complete-jobs.ts';
import { enqueueJobs } from './enqueue-jobs.ts';
import { listEvents } from './find-jobs.ts';
import { LostClaims } from './lost-claims.ts';
import { Listener, Notifier } from './notifications.ts';
import { releaseJobs } from './release-jobs.ts';

const queue = new QueueFixture();
const log = pino({ level: 'silent' });
const never = 3_600_000;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A loop that collects what it claims, and frees capacity only when told. */
function startLoop(options: Partial<ClaimLoopOptions> & { slots?: number }) {
  const claimed: ClaimedJob[] = [];
  const held = new Set<string>();
  const loop = new ClaimLoop({
    db: queue.pool,
    log,
    workerId: 'w1',
    lanes: [crawlLane],
    pollMs: never,
    capacity: () => (options.slots ?? 1000) - held.size,
    onJobs: (jobs) => {
      for (const job of jobs) held.add(job.id);
      claimed.push(...jobs);
    },
    ...options,
  });
  cleanups.push(() => loop.stop());
  loop.start();
  return { loop, claimed, held };
}

async function startListener(): Promise<Listener> {
  const listener = new Listener({ url: queue.url }, log);
  cleanups.push(() => listener.stop());
  await listener.start();
  return listener;
}

const reaches = (list: unknown[], length: number) =>
  vi.waitUntil(() => list.length >= length, { timeout: 10_000, interval: 5 });

describe('the claim loop', () => {
  test('takes what is there at its start, in batches, up to its capacity', async () => {
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 1200 }, () => crawl()),
    );
    const { claimed } = startLoop({ slots: 1100 });
    await reaches(claimed, 1100);
    const { rows } = await queue.pool.query(
      `SELECT count(*) AS left FROM crawl_jobs WHERE status = 'pending'`,
    );
    expect(rows).toEqual([{ left: 100 }]);
  });

  test('has two claims under way while more jobs wait than one takes, and asks for no more than its capacity', async () => {
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 3000 }, () => crawl()),
    );
    let underWay = 0;
    let most = 0;
    const db = {
      query: async (...args: unknown[]) => {
        most = Math.max(most, ++underWay);
        try {
          return await (queue.pool.query as (...args: unknown[]) => Promise<unknown>)(...args);
        } finally {
          underWay--;
        }
      },
    } as ClaimLoopOptions['db'];
    const { loop, claimed, held } = startLoop({ db, slots: 2200 });
    await reaches(claimed, 2200);
    await loop.stop();
    expect(most).toBe(2);
    expect(held.size).toBe(2200);
    expect(underWay).toBe(0);
    const { rows } = await queue.pool.query(
      `SELECT count(*) AS left FROM crawl_jobs WHERE status = 'pending'`,
    );
    expect(rows).toEqual([{ left: 800 }]);
  });

  test('misses no job that becomes ready while its second claim has asked for all that it has room for', async () => {
    await enqueueJobs(
      queue.pool,
      Array.from({ length: largestClaim }, () => crawl()),
    );
    let claims = 0;
    let answer: (() => void) | undefined;
    const db = {
      query: async (...args: unknown[]) => {
        const isSecond = ++claims === 2;
        const found = await (queue.pool.query as (...args: unknown[]) => Promise<unknown>)(...args);
        if (isSecond)
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
        return found;
      },
    } as ClaimLoopOptions['db'];
    const { loop, claimed } = startLoop({ db, slots: 2 * largestClaim });
    await reaches(claimed, largestClaim);
    await vi.waitUntil(() => answer !== undefined, { timeout: 10_000, interval: 5 });
    await queue.enqueueOne();
    loop.wake();
    await new Promise((resolve) => setImmediate(resolve));
    answer?.();
    await reaches(claimed, largestClaim + 1);
  });

  test('goes on when capacity is freed', async () => {
    await enqueueJobs(queue.pool, [crawl(), crawl()]);
    const { loop, claimed, held } = startLoop({ slots: 1 });
    await reaches(claimed, 1);
    await completeJobs(queue.pool, claimed, actor);
    held.clear();
    loop.wake();
    await reaches(claimed, 2);
  });

  test('is woken by a notification, long before its poll', async () => {
    const listener = await startListener();
    await queue.enqueueOne();
    const { claimed } = startLoop({ listener });
    await reaches(claimed, 1);
    for (const already of [1, 2, 3]) {
      await queue.enqueueOne();
      await new Notifier(queue.pool).notify('work');
      await reaches(claimed, already + 1);
    }
  });

  test('finds work by polling alone', async () => {
    const { claimed } = startLoop({ pollMs: 20 });
    await queue.enqueueOne();
    await reaches(claimed, 1);
  });

  test('finds a due job by polling, without any notification', async () => {
    const { claimed } = startLoop({ pollMs: 20 });
    await queue.enqueueOne({ run_at: new Date(Date.now() + 60_000).toISOString() });
    await queue.passSeconds(61);
    await reaches(claimed, 1);
  });

  test('survives a database that fails, and says so', async () => {
    let failures = 2;
    const warnings: string[] = [];
    const db = {
      query: (config: never) =>
        failures-- > 0 ? Promise.reject(new Error('the database is away')) : queue.pool.query(config),
    } as ClaimLoopOptions['db'];
    await queue.enqueueOne();
    const { claimed } = startLoop({
      db,
      pollMs: 5,
      log: { warn: (_: unknown, text: string) => warnings.push(text) } as never,
    });
    await reaches(claimed, 1);
    expect(warnings).toHaveLength(2);
  });

  test('gives back at once what a claim brought whose answer was lost, and burns no retry', async () => {
    const before = await queue.enqueueOne({ priority: 9 });
    let isLost = false;
    const lossy = {
      query: async (query: QueryConfig) => {
        const result = await queue.pool.query(query);
        const isIt =
          query.name?.startsWith('claim') && readClaimed(result.rows).some((job) => job.max_retries === 0);
        if (isLost || !isIt) return result;
        isLost = true;
        throw new Error('Connection terminated unexpectedly');
      },
    } as Queryable;
    const { loop, claimed, held } = startLoop({ db: lossy, pollMs: 20, holds: ({ id }) => held.has(id) });
    await reaches(claimed, 1);
    const job = await queue.enqueueOne({ max_retries: 0 });
    loop.wake();
    await reaches(claimed, 2);
    expect(claimed.map(({ id }) => id)).toEqual([before.id, job.id]);
    const events = await listEvents(queue.pool, job.id);
    expect(events.map(({ transition, reason }) => [transition, reason])).toEqual([
      ['enqueue', null],
      ['claim', null],
      ['release', 'the answer to its claim was lost'],
      ['claim', null],
    ]);
    expect(await listEvents(queue.pool, before.id)).toHaveLength(2);
  });

  test('leaves to the watchdog what another worker of its name had claimed before', async () => {
    const job = await queue.enqueueOne();
    await queue.claimOne();
    await queue.pool.query(`UPDATE crawl_jobs SET started_at = started_at - interval '1 minute'`);
    const lost = new LostClaims({
      db: queue.pool,
      log,
      workerId: 'w1',
      lanes: [crawlLane],
      holds: () => false,
    });
    expect(await lost.giveBack()).toBe(0);
    lost.add(performance.now());
    expect(await lost.giveBack()).toBe(0);
    await queue.pool.query(`UPDATE crawl_jobs SET started_at = now()`);
    lost.add(performance.now());
    expect(await lost.giveBack()).toBe(1);
    expect((await listEvents(queue.pool, job.id)).at(-1)?.transition).toBe('release');
  });

  test('hands over what a claim under way brings before it has stopped', async () => {
    await queue.enqueueOne();
    const { loop, claimed } = startLoop({});
    await loop.stop();
    const { rows } = await queue.pool.query(
      `SELECT count(*) AS held FROM crawl_jobs WHERE status = 'processing'`,
    );
    expect(rows).toEqual([{ held: claimed.length }]);
  });
});

describe('a listener', () => {
  test('whose connection is cut comes back and wakes its hearers, since it may have missed something', async () => {
    const listener = await startListener();
    let woken = 0;
    listener.on('work', () => woken++);
    await queue.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'holdfast listener' AND datname = current_database()`,
    );
    await vi.waitUntil(() => woken > 0, { timeout: 10_000, interval: 5 });
  });
});

describe('the notifier', () => {
  test('sends one notification for many calls within 20 ms, and never loses the last', async () => {
    const client = await queue.pool.connect();
    await client.query('LISTEN holdfast_work');
    const heard: unknown[] = [];
    client.on('notification', (message) => heard.push(message));
    const notifier = new Notifier(queue.pool);
    await Promise.all(Array.from({ length: 100 }, () => notifier.notify('work')));
    await client.query(`NOTIFY holdfast_work, 'end'`);
    while (!heard.some((message) => (message as { payload: string }).payload === 'end')) {
      await once(client, 'notification');
    }
    expect(heard).toHaveLength(3);
    client.removeAllListeners('notification');
    client.release(true);
  });

  test('takes its only job before its time once, and no more after it was released until a time', async () => {
    const { id } = await queue.enqueueOne({ run_at: '2999-01-01T00:00:00Z' });
    const attempts: number[] = [];
    const { claimed } = startLoop({ onlyJob: id, pollMs: 10, capacity: () => attempts.push(1) && 1 });
    await reaches(claimed, 1);
    const [job] = claimed as [ClaimedJob];
    await releaseJobs(queue.pool, [{ ...job, reason: 'blocked', notBeforeSeconds: 600 }], actor);
    await reaches(attempts, attempts.length + 3);
    expect(claimed).toHaveLength(1);
    await queue.passSeconds(601);
    await reaches(claimed, 2);
  });
});
