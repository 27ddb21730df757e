import { describe, expect, test } from 'vitest';
import { crawl, crawlLane, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { type ClaimedJob, claimJobs } from './claim-jobs.ts';
import { ClaimPositions } from './claim-positions.ts';
import { completeJobs } from './complete-jobs.ts';
import { enqueueJobs } from './enqueue-jobs.ts';
import { releaseJobs } from './release-jobs.ts';

const queue = new QueueFixture();
const lanes = [crawlLane];

/** Claims as a claim loop does, at a given time of its clock. */
async function claimAt(positions: ClaimPositions, nowMs: number, limit: number): Promise<ClaimedJob[]> {
  const plan = positions.plan(nowMs);
  const jobs = await claimJobs(queue.pool, { lanes, limit, workerId: 'w1', ...plan });
  positions.learn(plan, limit, jobs);
  return jobs;
}

describe('a worker that remembers where ready jobs begin', () => {
  test('claims every job exactly once, in order', async () => {
    const priorities = Array.from({ length: 60 }, (_, n) => [5, 0, -7][n % 3] as number);
    await enqueueJobs(
      queue.pool,
      priorities.map((priority) => crawl({ priority })),
    );
    const positions = new ClaimPositions(lanes);
    const claimed: ClaimedJob[] = [];
    for (let turn = 0; turn < 9; turn++) claimed.push(...(await claimAt(positions, turn, 7)));
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(60);
    expect(claimed.map(({ priority }) => priority)).toEqual(priorities.toSorted((a, b) => b - a));
  });

  test('sees new jobs at once, of the priorities it knows and of any other', async () => {
    const positions = new ClaimPositions(lanes);
    await enqueueJobs(queue.pool, [crawl({ priority: 5 }), crawl({ priority: 1 })]);
    await claimAt(positions, 0, 10);
    for (const priority of [5, 9, 3, 1, -20]) {
      await queue.enqueueOne({ priority });
      expect(await claimAt(positions, 1, 10)).toMatchObject([{ priority }]);
    }
  });

  test('sees a job that was put back by others within a second, and its own at once', async () => {
    const positions = new ClaimPositions(lanes);
    const old = await queue.enqueueOne();
    await queue.pool.query(`UPDATE crawl_jobs SET created_at = created_at - interval '1 hour'`);
    await queue.enqueueOne();
    const [job, other] = await claimAt(positions, 0, 10);
    if (!job || !other) throw new Error('two jobs were expected');
    await completeJobs(queue.pool, [other], 'supervisor:w1');
    await releaseJobs(queue.pool, [{ ...job, reason: 'drain' }], 'supervisor:w1');
    expect(await claimAt(positions, 999, 10)).toEqual([]);
    const [again] = await claimAt(positions, 1_000, 10);
    expect(again).toMatchObject({ id: old.id, fence: 2 });
    await releaseJobs(queue.pool, [{ ...job, fence: 2, reason: 'drain' }], 'supervisor:w1');
    positions.forget();
    expect(await claimAt(positions, 1_001, 10)).toMatchObject([{ id: old.id, fence: 3 }]);
  });

  test('goes back for a backlog of old jobs that were put back together', async () => {
    const positions = new ClaimPositions(lanes);
    await queue.enqueueOne();
    await claimAt(positions, 0, 10);
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 30 }, () => crawl()),
    );
    await queue.pool.query(
      `UPDATE crawl_jobs SET created_at = created_at - interval '1 hour' WHERE status = 'pending'`,
    );
    const turns = [];
    for (const now of [1_000, 1_001, 1_002]) turns.push((await claimAt(positions, now, 10)).length);
    expect(turns).toEqual([10, 10, 10]);
  });

  test('drains a backlog of due jobs without waiting for its next full look', async () => {
    const positions = new ClaimPositions(lanes);
    const run_at = new Date(Date.now() + 60_000).toISOString();
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 30 }, () => crawl({ run_at })),
    );
    await queue.passSeconds(61);
    const turns = [];
    for (const now of [0, 1, 2]) turns.push((await claimAt(positions, now, 10)).length);
    expect(turns).toEqual([10, 10, 10]);
  });

  test('keeps to whole lanes when it has seen more priorities than it remembers', async () => {
    const positions = new ClaimPositions(lanes);
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 50 }, (_, priority) => crawl({ priority })),
    );
    expect(await claimAt(positions, 0, 50)).toHaveLength(50);
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 50 }, (_, priority) => crawl({ priority })),
    );
    expect(await claimAt(positions, 1, 50)).toHaveLength(50);
    expect(positions.plan(2).ranges.length).toBeLessThanOrEqual(33);
  });
});
