import type { JobRequest } from '@holdfast/contract';
import { expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJobs } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ApiFixture();
const bulk = (key: string, body: unknown) => api.call('POST', '/api/v1/jobs/bulk', { key, body });
const enqueue = async (count: number, fields: Partial<JobRequest> = {}) => {
  const requests = Array.from(
    { length: count },
    () =>
      ({
        kind: 'crawl',
        payload: { url: 'https://example.com/' },
        user_id: 'alice',
        ...fields,
      }) as JobRequest,
  );
  return (await enqueueJobs(api.pool, requests)).map(({ job }) => job.id);
};
const statuses = async () => {
  const { rows } = await api.pool.query(
    `SELECT user_id || ' ' || status AS name, count(*) AS n FROM crawl_jobs GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
};

test('does the same to every job that a filter finds, in batches, and counts what came of it', async () => {
  await enqueue(1203);
  await enqueue(5, { user_id: 'bob' });
  await claimJobs(api.pool, { lanes: [crawlLane], limit: 3, workerId: 'w1' });
  const answer = await bulk(await api.key(), { action: 'pause', filter: {}, all: true });
  expect(answer.json()).toEqual({
    action: 'pause',
    outcomes: { done: 1200, requested: 3, not_allowed: 0, over_quota: 0, not_found: 0 },
    next_cursor: null,
  });
  expect(await statuses()).toEqual({ 'alice paused': 1200, 'alice processing': 3, 'bob pending': 5 });
});

test('ids of other owners are not found, jobs that do not allow it are counted', async () => {
  const [mine, theirs] = [await enqueue(4), await enqueue(2, { user_id: 'bob' })];
  await actOnJobs(api.pool, 'cancel', mine.slice(0, 1));
  const nobody = '01a1e1d5-de60-7d19-800b-34c5346a372f';
  const ids = [...mine, ...mine, ...theirs, nobody];
  const answer = await bulk(await api.key(), { action: 'cancel', ids });
  expect(answer.json().outcomes).toEqual({
    done: 3,
    requested: 0,
    not_allowed: 1,
    over_quota: 0,
    not_found: 3,
  });
  expect(await statuses()).toEqual({ 'alice cancelled': 4, 'bob pending': 2 });
});

test('an operator reaches the jobs of every owner, or of one', async () => {
  await enqueue(2);
  await enqueue(2, { user_id: 'bob' });
  const key = await api.key({ scopes: ['operate'], user_id: 'olga' });
  await bulk(key, { action: 'cancel', filter: { user_id: 'bob' } });
  expect(await statuses()).toEqual({ 'alice pending': 2, 'bob cancelled': 2 });
  await bulk(key, { action: 'retry', filter: { status: ['cancelled', 'failed'] }, afresh: true });
  expect(await statuses()).toEqual({ 'alice pending': 2, 'bob pending': 2 });
});

test('to take jobs from their holders is for operators', async () => {
  const answer = await bulk(await api.key(), { action: 'resetLock', filter: {}, all: true });
  expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'scope_missing']);
  const other = await bulk(await api.key(), { action: 'cancel', filter: { user_id: 'bob' } });
  expect([other.statusCode, other.json().error.code]).toEqual([403, 'scope_missing']);
});

test.each(['reset-lock', 'resetLock'])('%s is taken as addresses take it', async (action) => {
  await enqueue(1);
  await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  const key = await api.key({ scopes: ['operate'] });
  const answer = await bulk(key, { action, filter: {}, all: true });
  expect([answer.statusCode, answer.json()]).toMatchObject([
    200,
    { action: 'resetLock', outcomes: { done: 1 } },
  ]);
});

test.each([
  ['neither ids nor a filter', { action: 'cancel' }],
  ['a filter that leaves nothing out, unsaid', { action: 'cancel', filter: {} }],
  ['both', { action: 'cancel', ids: ['01a1e1d5-de60-7d19-800b-34c5346a372f'], filter: {} }],
  ['an action that needs to know pages', { action: 'retryUrls', filter: {} }],
])('%s is refused', async (_case, body) => {
  expect((await bulk(await api.key(), body)).statusCode).toBe(400);
});
