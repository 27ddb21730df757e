import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { crawlLane, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { ownIdentity } from '../../base/process/process-info.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { recoverDeadWorkers } from './recover-dead-workers.ts';
import { SilentWorkers } from './silent-workers.ts';

const queue = new QueueFixture();
beforeEach(() => queue.pool.query('TRUNCATE workers'));
const log = pino({ level: 'silent' });

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
