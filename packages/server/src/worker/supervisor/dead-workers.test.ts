import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { crawlLane, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { ownIdentity } from '../../base/process/process-info.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { recoverDeadWorkers, SilentWorkers, takeOver } from './dead-workers.ts';
import { listKnownWorkers, type Registration, registerWorker, reportWorker } from './register-worker.ts';

const queue = new QueueFixture();
beforeEach(() => queue.pool.query('TRUNCATE workers'));

const log = pino({ level: 'silent' });
const self = ownIdentity();
const registration = (id: string, heartbeatSeconds = 10): Registration => ({
  id,
  maxJobs: 1,
  maxCrawls: 1,
  kinds: ['crawl'],
  allowPrivate: [],
  heartbeatSeconds,
});
const beat = { runningJobs: 0, draining: false, trouble: undefined };

/** A worker that has a job. Its row tells of a process of ours that is gone, unless told otherwise. */
async function holding(
  fields: Partial<typeof self> & { silent?: number; every?: number } = {},
): Promise<string> {
  const { silent = 1, every = 0.1, ...rest } = fields;
  const { host, machineId, bootId, pid, processStart } = { ...self, pid: 999_999_999, ...rest };
  await queue.pool.query(
    `INSERT INTO workers (id, host, machine_id, boot_id, pid, process_start, version, max_jobs, last_seen, heartbeat_seconds)
     VALUES ('other', $1, $2, $3, $4, $5, '1', 1, now() - make_interval(secs => $6), $7)`,
    [host, machineId, bootId, pid, processStart, silent, every],
  );
  const { id } = await queue.enqueueOne();
  await claimJobs(queue.pool, { lanes: [crawlLane], limit: 1, workerId: 'other' });
  return id;
}

const workers = async () =>
  (await queue.pool.query<{ id: string }>('SELECT id FROM workers ORDER BY id')).rows.map(({ id }) => id);
const statusOf = async (id: string) => (await showJob(queue.pool, id)).status;

/** Another machine with our host name. */
const twin = { machineId: 'another', bootId: 'another 1' };

describe('a worker that starts', () => {
  test('takes over at once from one that certainly died here', async () => {
    const id = await holding();
    expect(await recoverDeadWorkers(queue.pool, log, 'w1')).toEqual([]);
    expect([await statusOf(id), await workers()]).toEqual(['pending', []]);
  });

  test('says of its jobs that the worker died, not that a lease ran out', async () => {
    const id = await holding();
    await recoverDeadWorkers(queue.pool, log, 'w1');
    expect((await listEvents(queue.pool, id)).at(-1)).toMatchObject({
      transition: 'recover',
      reason: 'Worker died: other is gone and left the job unfinished',
    });
    expect((await showJob(queue.pool, id)).error_message).toBe('Worker died');
  });

  test('leaves one on another machine of its host name its jobs and its row', async () => {
    const id = await holding(twin);
    const silent = await recoverDeadWorkers(queue.pool, log, 'w1');
    expect(silent).toMatchObject([{ id: 'other' }]);
    expect([await statusOf(id), await workers()]).toEqual(['processing', ['other']]);
    // It is heard of before two heartbeats have passed.
    await queue.pool.query("UPDATE workers SET last_seen = now() WHERE id = 'other'");
    await takeOver(queue.pool, log, 'w1', silent);
    expect([await statusOf(id), await workers()]).toEqual(['processing', ['other']]);
  });

  test('takes over from one that it cannot see, once that is not heard of any more', async () => {
    const id = await holding(twin);
    await takeOver(queue.pool, log, 'w1', await recoverDeadWorkers(queue.pool, log, 'w1'));
    expect([await statusOf(id), await workers()]).toEqual(['pending', []]);
  });

  test('does not judge one of another host and machine, however silent it is', async () => {
    const id = await holding({ ...twin, host: 'elsewhere', silent: 600 });
    expect(await recoverDeadWorkers(queue.pool, log, 'w1')).toEqual([]);
    expect([await statusOf(id), await workers()]).toEqual(['processing', ['other']]);
  });
});

test('whoever is interrupted as it takes over leaves no job behind that nobody would look for', async () => {
  const id = await holding();
  const workers = await listKnownWorkers(queue.pool);
  let statements = 0;
  const query = async (config: QueryConfig) => {
    if (++statements > 1) throw new Error('killed');
    return queue.pool.query(config);
  };
  const interrupted = { query } as Queryable;
  await expect(takeOver(interrupted, log, 'w1', workers)).rejects.toThrow('killed');
  // By the watchdog of any worker, though the row of the dead one is gone.
  await sweepLeases(queue.pool, log, 'w2');
  expect(await statusOf(id)).toBe('pending');
});

describe('the name of a worker', () => {
  const register = (seconds = 0.1) =>
    registerWorker(queue.pool, registration('other', seconds), (dead) =>
      takeOver(queue.pool, log, 'other', dead),
    );
  const pidOf = async () => (await queue.pool.query('SELECT pid FROM workers')).rows[0]?.pid;

  test.each([
    ['certainly died', { every: 3_600 }],
    ['is not heard of for two heartbeats', twin],
    ['ran elsewhere and is not heard of for two heartbeats', { ...twin, host: 'elsewhere' }],
  ])('is free when its process %s, and so are its jobs', async (_, fields) => {
    const id = await holding(fields);
    await register();
    expect([await statusOf(id), await pidOf()]).toEqual(['pending', process.pid]);
  });

  test('is not free at once because it was silent before: the database may have been away', async () => {
    const id = await holding({ ...twin, silent: 3_600 });
    let looks = 0;
    const query = async (config: QueryConfig) => {
      // It is heard of again before we look for the second time.
      if (config.name === 'list-worker-processes' && ++looks === 2)
        await queue.pool.query('UPDATE workers SET last_seen = now()');
      return queue.pool.query(config);
    };
    const registering = registerWorker({ query } as Queryable, registration('other', 0.1), (dead) =>
      takeOver(queue.pool, log, 'other', dead),
    );
    await expect(registering).rejects.toMatchObject({ code: 'config_invalid' });
    expect([await statusOf(id), await pidOf()]).toEqual(['processing', 999_999_999]);
  });

  test('is not free while its process is there', async () => {
    const id = await holding({ pid: process.pid, silent: 3_600 });
    await expect(register()).rejects.toMatchObject({ code: 'config_invalid' });
    expect(await statusOf(id)).toBe('processing');
  });

  test('is not free when its process is heard of within two heartbeats', async () => {
    const id = await holding({ ...twin, silent: 0 });
    let isOver = false;
    const beats = (async () => {
      while (!isOver) {
        await queue.pool.query('UPDATE workers SET last_seen = now()');
        await delay(5);
      }
    })();
    await expect(register(0.1)).rejects.toMatchObject({ code: 'config_invalid' });
    isOver = true;
    await beats;
    expect([await statusOf(id), await pidOf()]).toEqual(['processing', 999_999_999]);
  });
});

describe('a heartbeat', () => {
  test('brings back a row that was removed', async () => {
    await registerWorker(queue.pool, registration('w1'), async () => {});
    await queue.pool.query('DELETE FROM workers');
    expect(await reportWorker(queue.pool, registration('w1'), { ...beat, runningJobs: 3 })).toBe(true);
    const { rows } = await queue.pool.query('SELECT id, pid, max_jobs, running_jobs FROM workers');
    expect(rows).toEqual([{ id: 'w1', pid: process.pid, max_jobs: 1, running_jobs: 3 }]);
  });

  test('says how often the next ones come', async () => {
    await registerWorker(queue.pool, registration('w1', 5), async () => {});
    await reportWorker(queue.pool, registration('w1', 60), beat);
    expect(await listKnownWorkers(queue.pool)).toMatchObject([{ id: 'w1', heartbeatSeconds: 60 }]);
  });

  test('leaves the row of another process alone that has the name by now', async () => {
    await holding(twin);
    expect(await reportWorker(queue.pool, registration('other'), beat)).toBe(false);
    const { rows } = await queue.pool.query('SELECT pid FROM workers');
    expect(rows).toEqual([{ pid: 999_999_999 }]);
  });
});

/** A worker that has our host name, and a job. We watch it, by a database whose time the test says. */
async function watched({ own = 10, theirs = 10 } = {}) {
  await queue.pool.query(
    `INSERT INTO workers (id, host, machine_id, boot_id, pid, process_start, version, max_jobs, heartbeat_seconds)
     VALUES ('other', $1, 'another', 'another 1', 1, '1', '1', 1, $2)`,
    [ownIdentity().host, theirs],
  );
  const { id } = await queue.enqueueOne();
  await claimJobs(queue.pool, { lanes: [crawlLane], limit: 1, workerId: 'other' });
  const workers = await recoverDeadWorkers(queue.pool, log, 'w1');
  const began = workers[0]?.readAt ?? Number.NaN;
  const clock = { seconds: 0, takeOverFails: false };
  const query = async (config: QueryConfig) => {
    if (config.name === 'database-time') return { rows: [{ now: new Date((began + clock.seconds) * 1000) }] };
    if (config.name === 'take-over' && clock.takeOverFails) throw new Error('away');
    return queue.pool.query(config);
  };
  const db = { query } as Queryable;
  const silent = new SilentWorkers({ db, log, workerId: 'w1', heartbeatSeconds: own }, workers);
  return {
    silent,
    clock,
    statusOf: async () => (await showJob(queue.pool, id)).status,
    /** Our heartbeats at these times. */
    async beats(...times: number[]) {
      for (const seconds of times) {
        clock.seconds = seconds;
        await silent.beat();
      }
      return (await showJob(queue.pool, id)).status;
    },
  };
}

describe('a worker that cannot be seen', () => {
  test('is dead after two heartbeats of silence, while ours came', async () => {
    const { beats } = await watched();
    expect(await beats(10, 19)).toBe('processing');
    expect(await beats(21)).toBe('pending');
  });

  test('is judged by its own heartbeat where that is slower', async () => {
    const { beats } = await watched({ own: 5, theirs: 60 });
    const until = (seconds: number) => Array.from({ length: seconds / 5 }, (_, n) => 5 * (n + 1));
    expect(await beats(...until(115))).toBe('processing');
    expect(await beats(120.1)).toBe('pending');
  });

  test('is not judged sooner than we can tell silence from an outage', async () => {
    const { beats } = await watched({ own: 60, theirs: 5 });
    expect(await beats(60, 119)).toBe('processing');
    expect(await beats(121)).toBe('pending');
  });

  test('has two heartbeats more when one of ours did not arrive: the database was away for all', async () => {
    const { beats, silent } = await watched();
    expect(await beats(10)).toBe('processing');
    silent.missed();
    expect(await beats(21, 31, 40)).toBe('processing');
    expect(await beats(41.1)).toBe('pending');
  });

  test('has two heartbeats more after a gap in ours, whatever the reason', async () => {
    const { beats } = await watched();
    expect(await beats(10, 3_600, 3_610)).toBe('processing');
    expect(await beats(3_620.1)).toBe('pending');
  });

  test('is left alone when it was heard of', async () => {
    const { beats } = await watched();
    await queue.pool.query("UPDATE workers SET last_seen = now() + interval '1 second'");
    expect(await beats(10, 19, 28, 37, 46)).toBe('processing');
  });

  test('is taken over from by the next heartbeat when that failed', async () => {
    const { beats, clock, silent, statusOf } = await watched();
    clock.takeOverFails = true;
    await beats(10);
    clock.seconds = 21;
    await expect(silent.beat()).rejects.toThrow('away');
    expect(await statusOf()).toBe('processing');
    clock.takeOverFails = false;
    expect(await beats(31)).toBe('pending');
  });
});
