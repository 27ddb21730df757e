import { liveStatuses } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { actor, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { listJobs } from '../../queue/jobs/find-jobs.ts';
import { pruneJobs } from './prune-jobs.ts';

const queue = new QueueFixture();

describe('pruning', () => {
  test('deletes finished jobs with their events after the retention time, and never a live one', async () => {
    const young = await queue.claimedOne();
    await completeJobs(queue.pool, [young], actor);
    const old = 31 * 86_400;
    const statuses = ['completed', 'failed', 'cancelled', 'expired', ...liveStatuses];
    for (const status of statuses) {
      await queue.pool.query(
        `INSERT INTO crawl_jobs (id, event_count, kind, payload, status, worker_id, lease_expires_at, next_retry_at, completed_at)
         SELECT id, 1, 'crawl', '{}', $1::job_status,
           CASE WHEN $1 = 'processing' THEN 'w1' END, CASE WHEN $1 = 'processing' THEN now() END,
           CASE WHEN $1 = 'retryable' THEN now() END,
           CASE WHEN $1 IN ('completed', 'failed', 'cancelled', 'expired') THEN now() - make_interval(secs => $2) END
         FROM (SELECT (lpad(to_hex((extract(epoch FROM now() - make_interval(secs => $2)) * 1000)::bigint), 12, '0')
           || right(replace(uuid_v7()::text, '-', ''), 20))::uuid AS id) old`,
        [status, old],
      );
    }
    expect(await pruneJobs(queue.pool, 30, { batch: 3 })).toBe(4);
    const left = await listJobs(queue.pool);
    expect(left.map(({ status }) => status).sort()).toEqual([...liveStatuses, 'completed'].sort());
    const { rows } = await queue.pool.query('SELECT DISTINCT job_id FROM job_events');
    expect(rows).toEqual([{ job_id: young.id }]);
  });

  test('keeps everything when the retention is 0', async () => {
    await completeJobs(queue.pool, [await queue.claimedOne()], actor);
    await queue.passSeconds(86_400 * 400);
    expect(await pruneJobs(queue.pool, 0)).toBe(0);
  });
});
