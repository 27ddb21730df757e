import type { JobRequest } from '@holdfast/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { createDueJobs } from '../policies/scheduler.ts';
import { enqueueJob } from './enqueue-jobs.ts';
import { listEvents, showJob } from './find-jobs.ts';

const api = new ApiFixture();
beforeEach(() => api.pool.query('DELETE FROM crawl_results'));
beforeEach(() => api.pool.query('DELETE FROM crawl_policies'));
const url = 'https://shop.example/kettle';

/** A visit that a bot has done, with its result. */
async function done(fields: Partial<JobRequest> = {}): Promise<string> {
  const request = { kind: 'visit', executor: 'bot', payload: { url }, user_id: 'alice', ...fields };
  const { job } = await enqueueJob(api.pool, request as JobRequest);
  await complete(job.id);
  return job.id;
}
async function complete(id: string): Promise<void> {
  await api.pool.query(
    `UPDATE crawl_jobs SET status = 'completed', completed_at = now(), progress_percentage = 100, retry_count = 2,
       worker_id = 'bot-001', run_at = NULL WHERE id = $1`,
    [id],
  );
  await api.pool.query(
    `INSERT INTO crawl_results (job_id, user_id, url, price, currency, actor) VALUES ($1, 'alice', $2, 1, 'EUR', 'bot:bot-001')`,
    [id, url],
  );
}
const again = (id: string, key: string, body?: object) =>
  api.call('POST', `/api/v1/jobs/${id}/retry`, { key, body });
const countJobs = async () => (await api.pool.query('SELECT FROM crawl_jobs')).rowCount;

describe('a completed visit', () => {
  test('runs again as a new job that names it, and keeps its result', async () => {
    const id = await done({ priority: 7, max_retries: 2, timeout_seconds: 99, lock_ttl_seconds: 42 });
    const key = await api.key();
    const shown = await api.call('GET', `/api/v1/jobs/${id}`, { key });
    expect(shown.json().allowed_actions).toEqual(['retry']);
    const answer = await again(id, key, { reason: 'the price looks odd' });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      expect.objectContaining({
        ...{ rerun_of: id, status: 'pending', kind: 'visit', executor: 'bot', url, priority: 7 },
        ...{ max_retries: 2, retry_count: 0, progress_percentage: 0, user_id: 'alice', worker_id: null },
      }),
    ]);
    const { id: newId } = answer.json();
    expect(newId).not.toBe(id);
    const { rows } = await api.pool.query(
      'SELECT timeout_seconds, lock_ttl_seconds, host FROM crawl_jobs WHERE id = $1',
      [newId],
    );
    expect(rows).toEqual([{ timeout_seconds: 99, lock_ttl_seconds: 42, host: 'shop.example' }]);
    expect(await listEvents(api.pool, newId)).toMatchObject([
      { transition: 'enqueue', actor: 'user:alice', reason: `runs job ${id} again: the price looks odd` },
    ]);
    expect((await showJob(api.pool, id)).status).toBe('completed');
    const results = await api.call('GET', `/api/v1/results?job_id=${id}`, { key });
    expect(results.json().data).toHaveLength(1);
    await complete(newId);
    expect((await api.call('GET', `/api/v1/results?url=${url}`, { key })).json().data).toHaveLength(2);
  });

  test('asked for twice at once runs again once, and again when that is done', async () => {
    const id = await done();
    const key = await api.key();
    const answers = await Promise.all(Array.from({ length: 5 }, () => again(id, key)));
    expect(new Set(answers.map((answer) => `${answer.statusCode} ${answer.json().id}`)).size).toBe(1);
    const { id: second } = answers[0]?.json() ?? {};
    await complete(second);
    const third = (await again(id, key)).json();
    expect([third.rerun_of, third.id === second]).toEqual([id, false]);
    expect((await again(second, key)).json().rerun_of).toBe(second);
    expect(await countJobs()).toBe(4);
  });

  test('of a policy stays with it, and waits for its live job', async () => {
    const { rows } = await api.pool.query(
      `INSERT INTO crawl_policies (user_id, kind, url, executor, frequency_hours, timeout_minutes)
       VALUES ('alice', 'visit', $1, 'bot', 24, 10) RETURNING id`,
      [url],
    );
    const [made] = await createDueJobs(api.pool, 'scheduler:s1');
    const first = made?.job_id ?? '';
    await complete(first);
    const key = await api.key();
    const second = (await again(first, key)).json();
    expect([second.policy_id, second.rerun_of]).toEqual([rows[0].id, first]);
    await api.pool.query(`UPDATE crawl_policies SET next_run_at = now() - interval '1 minute'`);
    expect(await createDueJobs(api.pool, 'scheduler:s1')).toEqual([]);
    await complete(second.id);
    await api.pool.query(`UPDATE crawl_policies SET next_run_at = now() - interval '1 minute'`);
    expect(await createDueJobs(api.pool, 'scheduler:s1')).toHaveLength(1);
    const refused = await again(first, key);
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'live_job_exists']);
  });

  test('of another owner is not found, and counts against the quotas of the key', async () => {
    const id = await done();
    expect((await again(id, await api.key({ user_id: 'bob' }))).statusCode).toBe(404);
    expect((await again(id, await api.key({ scopes: ['jobs:read'] }))).statusCode).toBe(403);
    const other = await done();
    const daily = await api.key({ max_jobs_per_day: 1 });
    expect((await again(id, daily)).statusCode).toBe(200);
    expect((await again(id, daily)).statusCode).toBe(200);
    expect((await again(other, daily)).statusCode).toBe(429);
    const live = await api.key({ max_live_jobs: 0 });
    expect((await again(other, live)).statusCode).toBe(429);
    expect(await countJobs()).toBe(3);
  });

  test('is not what a completed crawl is: that has its own ways', async () => {
    const { job } = await enqueueJob(api.pool, { kind: 'crawl', payload: { url }, user_id: 'alice' });
    await api.pool.query(`UPDATE crawl_jobs SET status = 'completed', completed_at = now() WHERE id = $1`, [
      job.id,
    ]);
    await expect(actOnJob(api.pool, 'retry', job.id)).rejects.toMatchObject({ code: 'action_not_allowed' });
  });
});

describe('in bulk', () => {
  const bulk = async (body: object) => {
    const answer = await api.call('POST', '/api/v1/jobs/bulk', { key: await api.key(), body });
    return answer.json().outcomes as Record<string, number>;
  };

  test('mark pending takes failed jobs up and runs chosen completed ones again', async () => {
    const [first, second] = [await done(), await done()];
    const failed = await done();
    await api.pool.query(`UPDATE crawl_jobs SET status = 'failed', error_code = 'bot_failed' WHERE id = $1`, [
      failed,
    ]);
    expect(await bulk({ action: 'retry', ids: [first, second, failed] })).toMatchObject({
      done: 3,
      not_allowed: 0,
    });
    const { rows } = await api.pool.query(
      'SELECT rerun_of, status FROM crawl_jobs ORDER BY (rerun_of IS NULL), rerun_of, id',
    );
    expect(rows).toEqual([
      { rerun_of: first, status: 'pending' },
      { rerun_of: second, status: 'pending' },
      { rerun_of: null, status: 'completed' },
      { rerun_of: null, status: 'completed' },
      { rerun_of: null, status: 'pending' },
    ]);
  });

  test('a filter means completed jobs only where it names them', async () => {
    const failed = await done();
    await api.pool.query(`UPDATE crawl_jobs SET status = 'failed', error_code = 'bot_failed' WHERE id = $1`, [
      failed,
    ]);
    await done();
    expect(await bulk({ action: 'retry', filter: {}, all: true })).toMatchObject({ done: 1, not_allowed: 1 });
    expect(await bulk({ action: 'retry', filter: { status: ['completed'] } })).toMatchObject({ done: 1 });
    expect(await countJobs()).toBe(3);
  });
});
