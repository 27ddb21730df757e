import { expect, test } from 'vitest';
import { ListeningApi } from '../../../../../test/api-fixture/listening-api.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ListeningApi();

test('stats are of all jobs for an operator, and of his own for an owner', async () => {
  for (const user_id of ['alice', 'alice', 'bob']) {
    await enqueueJob(api.pool, { kind: 'visit', payload: { url: 'https://example.com/' }, user_id });
  }
  const visitsOf = ({ body }: { body: { jobs: { status: string; kind: string; count: number }[] } }) =>
    body.jobs.find(({ status, kind }) => status === 'pending' && kind === 'visit');
  const all = await api.json('/api/v1/stats');
  expect(all.status).toBe(200);
  expect(all.body).toMatchObject({ user_id: null, pending_pages: 0, stuck: { count: 0, data: [] } });
  expect(visitsOf(all)).toEqual({ status: 'pending', kind: 'visit', count: 3, precision: 'exact' });
  expect(all.body.recent_jobs).toHaveLength(3);
  expect(all.body.throughput.minutes).toHaveLength(60);
  const bob = await api.key({ user_id: 'bob' });
  const own = await api.json('/api/v1/stats', { key: bob });
  expect([own.body.user_id, visitsOf(own)?.count, own.body.recent_jobs.length]).toEqual(['bob', 1, 1]);
  expect(visitsOf(await api.json('/api/v1/stats?user_id=alice'))?.count).toBe(2);
  expect((await api.json('/api/v1/stats?user_id=alice', { key: bob })).body.error.code).toBe('scope_missing');
  expect((await api.json('/api/v1/stats?user_id=')).status).toBe(400);
  expect((await api.json('/api/v1/stats?more=1')).status).toBe(400);
  expect((await api.json('/api/v1/stats', { key: null })).status).toBe(401);
});
