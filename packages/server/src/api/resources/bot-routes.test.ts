import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { visit } from '../../../../../test/bot-fixture/bot-fixture.ts';
import { pruneJobs } from '../../crawl/retention/prune-jobs.ts';
import { enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';
import { pruneBots } from '../../shop/bots/bot-registry.ts';

const api = new ApiFixture();
let operator: string;
beforeEach(async () => {
  operator ??= await api.key({ scopes: ['operate'] });
  await api.pool.query(
    'DELETE FROM bots; DELETE FROM bot_hours; DELETE FROM bot_pulls; DELETE FROM bot_submissions; DELETE FROM crawl_results',
  );
});

const create = (body: object) => api.call('POST', '/api/v1/bots', { key: operator, body });

describe('a bot', () => {
  test('is made with a token that speaks for it alone', async () => {
    const made = await create({
      bot_id: 'price bot/1',
      max_jobs_per_pull: 5,
      allowed_domains: ['shop.example'],
    });
    expect(made.statusCode).toBe(201);
    const { token, ...bot } = made.json();
    expect(bot).toMatchObject({
      bot_id: 'price bot/1',
      user_id: 'alice',
      enabled: true,
      max_jobs_per_pull: 5,
      max_pulls_per_minute: null,
      allowed_domains: ['shop.example'],
      lock_ttl_seconds: null,
      last_seen_at: null,
      success_rate: null,
    });
    const pull = (bot_id: string) => api.call('POST', '/api/crawl/pull/', { key: token, body: { bot_id } });
    expect((await pull('price bot/1')).statusCode).toBe(200);
    expect((await pull('another')).statusCode).toBe(403);
    expect((await api.call('GET', '/api/v1/jobs', { key: token })).statusCode).toBe(403);
    const shown = await api.call('GET', made.headers.location as string, { key: operator });
    expect(shown.json()).toMatchObject({ bot_id: 'price bot/1', pulls: 1 });
    expect(shown.body).not.toContain(token);
  });

  test('is made once: nothing of a second one is left, not even its key', async () => {
    await create({ bot_id: 'b' });
    const keys = async () => (await api.pool.query('SELECT count(*) AS keys FROM api_keys')).rows[0].keys;
    const before = await keys();
    const again = await create({ bot_id: 'b' });
    expect([again.statusCode, again.json().error.code]).toEqual([409, 'bot_exists']);
    expect((await create({ bot_id: 'c', allowed_domains: ['http://x/'] })).statusCode).toBe(400);
    expect(await keys()).toBe(before);
    expect((await create({ bot_id: 'b', user_id: 'bob' })).statusCode).toBe(201);
  });

  test('is changed, and the change counts at its next pull', async () => {
    const { token } = (await create({ bot_id: 'b' })).json();
    const change = (body: object) => api.call('PATCH', '/api/v1/bots/b', { key: operator, body });
    expect((await change({ enabled: false })).json()).toMatchObject({
      enabled: false,
      max_jobs_per_pull: 100,
    });
    const pull = () => api.call('POST', '/api/crawl/pull/', { key: token, body: { bot_id: 'b' } });
    expect((await pull()).statusCode).toBe(403);
    await change({ enabled: true, max_pulls_per_minute: 1, lock_ttl_seconds: 30 });
    expect([(await pull()).statusCode, (await pull()).statusCode]).toEqual([200, 429]);
    expect((await change({ max_pulls_per_minute: null, allowed_domains: null })).json()).toMatchObject({
      max_pulls_per_minute: null,
      lock_ttl_seconds: 30,
    });
    expect((await change({})).statusCode).toBe(400);
    expect((await change({ max_jobs_per_pull: 101 })).statusCode).toBe(400);
    expect(
      (await api.call('PATCH', '/api/v1/bots/unknown', { key: operator, body: { enabled: true } }))
        .statusCode,
    ).toBe(404);
  });

  test('shows what it does', async () => {
    const { token } = (await create({ bot_id: 'b' })).json();
    await enqueueJobs(
      api.pool,
      [1, 2, 3, 4].map((n) => visit(`https://a.example/${n}`)),
    );
    const { jobs } = (await api.call('POST', '/api/crawl/pull', { key: token, body: { bot_id: 'b' } })).json()
      .data;
    const submit = (n: number, body: object) =>
      api.call('POST', '/api/crawl/submit', { key: token, body: { bot_id: 'b', ...jobs[n], ...body } });
    await submit(0, { success: true, price: 1, currency: 'USD' });
    await submit(1, { success: true, price: 1, currency: 'USD' });
    await submit(2, { success: false });
    const { data } = (await api.call('GET', '/api/v1/bots', { key: operator })).json();
    expect(data).toMatchObject([
      {
        bot_id: 'b',
        pulls: 1,
        pulls_last_hour: 1,
        jobs_pulled: 4,
        jobs_succeeded: 2,
        jobs_failed: 1,
        jobs_held: 1,
        success_rate: 0.6667,
        last_seen_at: expect.any(String),
      },
    ]);
  });

  test('is listed to its owner, page by page, and to operators with those of all', async () => {
    for (const bot_id of ['c', 'a', 'b']) await create({ bot_id });
    await create({ bot_id: 'a', user_id: 'bob' });
    const reader = await api.key({ scopes: ['jobs:read'] });
    const names = async (key: string, query = '') => {
      const { data, next_cursor } = (await api.call('GET', `/api/v1/bots?${query}`, { key })).json();
      return [
        data.map((bot: { user_id: string; bot_id: string }) => `${bot.user_id}:${bot.bot_id}`),
        next_cursor,
      ];
    };
    const [first, cursor] = await names(reader, 'limit=2');
    expect(first).toEqual(['alice:a', 'alice:b']);
    expect(await names(reader, `limit=2&cursor=${cursor}`)).toEqual([['alice:c'], null]);
    expect(await names(operator)).toEqual([['alice:a', 'alice:b', 'alice:c', 'bob:a'], null]);
    expect(await names(operator, 'user_id=bob')).toEqual([['bob:a'], null]);
    expect(await names(operator, 'enabled=false')).toEqual([[], null]);
    for (const cursor of ['x', 'bnVsbA', 'WzEsMl0'])
      expect((await api.call('GET', `/api/v1/bots?cursor=${cursor}`, { key: reader })).statusCode).toBe(400);
    expect((await api.call('GET', '/api/v1/bots/a?user_id=bob', { key: reader })).statusCode).toBe(403);
    expect(
      (await api.call('GET', '/api/v1/bots/a', { key: await api.key({ user_id: 'carla' }) })).statusCode,
    ).toBe(404);
  });
});

test('what bots leave behind is pruned: old pulls and hours by time, submissions with their jobs', async () => {
  const { token } = (await create({ bot_id: 'b' })).json();
  await enqueueJobs(api.pool, [visit()]);
  const body = { bot_id: 'b', idempotency_key: 'k' };
  const [job] = (await api.call('POST', '/api/crawl/pull', { key: token, body })).json().data.jobs;
  await api.call('POST', '/api/crawl/submit', {
    key: token,
    body: { bot_id: 'b', ...job, success: true, price: 1, currency: 'USD' },
  });
  const left = async () =>
    (
      await api.pool.query(
        `SELECT (SELECT count(*) FROM bot_pulls) AS pulls, (SELECT count(*) FROM bot_hours) AS hours,
           (SELECT count(*) FROM bot_submissions) AS submissions, (SELECT count(*) FROM crawl_results) AS results`,
      )
    ).rows[0];
  await pruneBots(api.pool);
  expect(await left()).toEqual({ pulls: 1, hours: 1, submissions: 1, results: 1 });
  await api.pool.query(
    `UPDATE bot_pulls SET at = at - interval '25 hours'; UPDATE bot_hours SET hour = hour - interval '91 days'`,
  );
  await pruneBots(api.pool);
  await api.pool.query(`UPDATE crawl_jobs SET completed_at = completed_at - interval '31 days'`);
  await pruneJobs(api.pool, -1);
  expect(await left()).toEqual({ pulls: 0, hours: 0, submissions: 0, results: 1 });
});
