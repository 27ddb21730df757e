import { afterEach, describe, expect, test, vi } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { HostQueue } from '../run/host-queue.ts';
import { openFrontier } from './open-frontier.ts';
import { readFrontier } from './read-frontier.ts';
import { failure, found, save } from './testing/checkpoint-fixture.ts';

const queue = new QueueFixture();
afterEach(() => {
  vi.useRealTimers();
});

/** From now on, this machine's wall clock is off; the monotonic one is not. */
function clockIsOff(minutes: number): void {
  const now = Date.now() + minutes * 60_000;
  vi.useFakeTimers({ toFake: ['Date'], now });
}

/** A crawl with one URL, which is to be tried again in a minute. */
async function postponed() {
  await queue.enqueueOne({ kind: 'crawl', payload: { url: 'http://a.test/' } });
  const lanes = [{ kind: 'crawl' as const, executor: 'builtin' as const, leaseSeconds: 120 }];
  const [job] = await claimJobs(queue.pool, { lanes, limit: 1, workerId: 'w1' });
  if (!job) throw new Error('nothing to claim');
  await openFrontier(queue.pool, job, { key: 'k', recrawl: false });
  await save(queue.pool, job, { number: 1, found: [found('http://a.test/')] });
  const { rows } = await queue.pool.query('SELECT seq FROM crawl_frontier WHERE job_id = $1', [job.id]);
  const entry = { host: 'a.test', seq: Number(rows[0].seq), attempts: 3, refusals: 2 };
  await save(queue.pool, job, {
    number: 2,
    postponed: [{ ...entry, until: performance.now() + 60_000, failure }],
  });
  return job;
}

describe.each([10, -10])('with a wall clock that is off by %i minutes', (minutes) => {
  test('a URL is tried again when its wait is over by the clock of the database', async () => {
    clockIsOff(minutes);
    const { id } = await postponed();
    const { rows } = await queue.pool.query<{ seconds: number }>(
      'SELECT extract(epoch FROM not_before - now())::float8 AS seconds FROM crawl_frontier WHERE job_id = $1',
      [id],
    );
    expect(rows[0]?.seconds).toBeGreaterThan(0);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
  });

  test('a runner that resumes waits as long as the database says', async () => {
    const { id } = await postponed();
    clockIsOff(minutes);
    const entries = await readFrontier(
      queue.pool,
      { jobId: id, baseline: null },
      { host: 'a.test', afterSeq: -1, limit: 10, part: 'all' },
    );
    const queued = new HostQueue('a.test', 0, 0);
    queued.append(entries, 1_000);
    expect(queued.peek(1_000)).toBeUndefined();
    expect(queued.nextDue).toBeGreaterThan(1_000);
    expect(queued.nextDue).toBeLessThanOrEqual(61_000);
  });
});

test('a runner that resumes knows how often a URL was asked for, and how often it was turned away', async () => {
  const { id } = await postponed();
  const entries = await readFrontier(
    queue.pool,
    { jobId: id, baseline: null },
    { host: 'a.test', afterSeq: -1, limit: 10, part: 'all' },
  );
  expect(entries).toMatchObject([{ attempts: 3, refusals: 2 }]);
});
