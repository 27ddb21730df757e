import { describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { createDueJobs } from '../policies/scheduler.ts';

const api = new ApiFixture();
const crawl = { kind: 'crawl', payload: { url: 'https://example.com/' } };
const create = (key: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/jobs', { key, body: crawl, headers });
const tally = (answers: readonly { statusCode: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  return counts;
};
const liveJobs = async () =>
  (await api.pool.query(`SELECT count(*) AS n FROM crawl_jobs WHERE status = 'pending'`)).rows[0].n;
const times = <Answer>(count: number, work: (n: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

/** Again, if a minute ended in between: the next one has its own requests. */
async function withinOneMinute<Result>(act: () => Promise<Result>): Promise<Result> {
  const minute = async () => {
    const { rows } = await api.pool.query(`SELECT date_trunc('minute', clock_timestamp())::text AS minute`);
    return rows[0].minute;
  };
  for (;;) {
    const before = await minute();
    const result = await act();
    if ((await minute()) === before) return result;
  }
}

describe('max_requests_per_minute', () => {
  test('is not exceeded by 300 requests at once, and the refused ones hear when to come again', async () => {
    const answers = await withinOneMinute(async () => {
      const key = await api.key({ max_requests_per_minute: 20 });
      return await times(300, () => api.call('GET', '/api/v1/jobs', { key }));
    });
    expect(tally(answers)).toEqual({ 200: 20, 429: 280 });
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json().error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('20 requests'),
    });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  test('begins anew with the next minute', async () => {
    const key = await api.key({ max_requests_per_minute: 1 });
    await api.call('GET', '/api/v1/jobs', { key });
    await api.pool.query(`UPDATE key_usage SET window_start = window_start - interval '1 minute'`);
    expect((await api.call('GET', '/api/v1/jobs', { key })).statusCode).toBe(200);
  });
});

describe('max_jobs_per_day', () => {
  test('is not exceeded by 200 requests at once', async () => {
    const key = await api.key({ max_jobs_per_day: 7 });
    const answers = await times(200, () => create(key));
    expect(tally(answers)).toEqual({ 201: 7, 429: 193 });
    expect(await liveJobs()).toBe(7);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  });

  test('is not used up by jobs that were refused or repeated', async () => {
    const key = await api.key({ max_jobs_per_day: 2 });
    await create(key, { 'idempotency-key': 'one' });
    await times(10, () => create(key, { 'idempotency-key': 'one' }));
    const jobs = [crawl, crawl];
    const bulk = await api.call('POST', '/api/v1/jobs/bulk-create', { key, body: { jobs } });
    expect(bulk.statusCode).toBe(429);
    expect(await liveJobs()).toBe(1);
    expect((await create(key)).statusCode).toBe(201);
    expect((await create(key)).statusCode).toBe(429);
    // What was made already costs nothing, not even a key that is spent.
    expect((await create(key, { 'idempotency-key': 'one' })).statusCode).toBe(200);
  });

  test('of 0 allows none', async () => {
    expect((await create(await api.key({ max_jobs_per_day: 0 }))).statusCode).toBe(429);
  });
});

describe('max_live_jobs', () => {
  test('is not exceeded by 200 requests at once, by single ones and batches alike', async () => {
    const key = await api.key({ max_live_jobs: 10 });
    const answers = await times(200, (n) =>
      n % 4 === 0
        ? api.call('POST', '/api/v1/jobs/bulk-create', { key, body: { jobs: [crawl, crawl, crawl] } })
        : create(key),
    );
    expect(Object.keys(tally(answers))).toEqual(['201', '429']);
    expect(await liveJobs()).toBe(10);
  });

  test('has room again when jobs end, and paused ones still count', async () => {
    const key = await api.key({ max_live_jobs: 2 });
    const [first, second] = [(await create(key)).json(), (await create(key)).json()];
    await actOnJob(api.pool, 'pause', first.id);
    expect((await create(key)).statusCode).toBe(429);
    await actOnJob(api.pool, 'cancel', second.id);
    expect((await create(key)).statusCode).toBe(201);
    expect((await create(key)).statusCode).toBe(429);
  });

  test('holds for jobs that are retried too, one by one and in bulk', async () => {
    const key = await api.key({ max_live_jobs: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const { id } = (await create(key)).json();
      ids.push(id);
      await actOnJob(api.pool, 'cancel', id);
    }
    const retries = await Promise.all(ids.map((id) => api.call('POST', `/api/v1/jobs/${id}/retry`, { key })));
    expect(tally(retries)).toEqual({ 200: 3, 429: 3 });
    expect(await liveJobs()).toBe(3);
    await actOnJob(api.pool, 'cancel', retries.find(({ statusCode }) => statusCode === 200)?.json().id);
    const bulk = await api.call('POST', '/api/v1/jobs/bulk', { key, body: { action: 'retry', ids } });
    expect(bulk.json().outcomes).toMatchObject({ done: 1, requested: 0, not_found: 0 });
    expect(bulk.json().outcomes.over_quota + bulk.json().outcomes.not_allowed).toBe(5);
    expect(await liveJobs()).toBe(3);
  });

  test('is the key’s own: what others make does not count', async () => {
    await create(await api.key());
    const key = await api.key({ max_live_jobs: 1 });
    expect((await create(key)).statusCode).toBe(201);
  });
});

describe('policies of the owner of a key', () => {
  const policy = (n: number, fields: object = {}) => ({
    kind: 'visit',
    url: `https://example.com/${n}`,
    ...fields,
  });
  const make = (key: string, n: number, fields?: object) =>
    api.call('POST', '/api/v1/policies', { key, body: policy(n, fields) });
  const change = (key: string, id: string, path: string, body?: object) =>
    api.call(body ? 'PATCH' : 'POST', `/api/v1/policies/${id}${path}`, { key, ...(body && { body }) });

  test('are no more than max_live_jobs, however many are made at once', async () => {
    const key = await api.key({ user_id: 'live', max_live_jobs: 3 });
    const answers = await times(20, (n) => make(key, n));
    expect(tally(answers)).toEqual({ 201: 3, 429: 17 });
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json().error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('3 live jobs, which allows as many enabled policies'),
      hint: expect.stringContaining('disable or delete a policy'),
    });
    const kept = answers.find(({ statusCode }) => statusCode === 201)?.json();
    expect((await change(key, kept.id, '/disable')).statusCode).toBe(200);
    expect((await make(key, 100)).statusCode).toBe(201);
    expect((await change(key, kept.id, '/enable')).statusCode).toBe(429);
    expect((await change(key, kept.id, '', { enabled: true })).statusCode).toBe(429);
    expect((await make(key, 101, { enabled: false })).statusCode).toBe(201);
    const repeated = { url: 'https://example.com/102', update_frequency: 7 };
    expect((await api.call('POST', '/api/knowledge-items/crawl', { key, body: repeated })).statusCode).toBe(
      429,
    );
    expect(await liveJobs()).toBe(0);
  });

  test('promise no more jobs a day than max_jobs_per_day, and one that runs before its time is one of the day', async () => {
    const key = await api.key({ user_id: 'daily', max_jobs_per_day: 4 });
    const { id } = (await make(key, 1, { frequency_hours: 8 })).json();
    expect((await make(key, 2, { frequency_hours: 12 })).json().error.message).toContain(
      '4 jobs a day, and the enabled policies would make 5',
    );
    expect((await make(key, 3, { frequency_hours: 24 })).statusCode).toBe(201);
    expect((await change(key, id, '', { frequency_hours: 7 })).statusCode).toBe(429);
    expect((await change(key, id, '', { frequency_hours: 9, priority: 1 })).statusCode).toBe(200);
    // Two of the four are those that the policies begin with.
    const runs = await times(5, () => change(key, id, '/run'));
    expect(tally(runs)).toEqual({ 202: 2, 429: 3 });
    const next_run_at = '2030-01-31T08:00:00Z';
    expect((await change(key, id, '', { next_run_at })).statusCode).toBe(429);
    expect((await create(key)).statusCode).toBe(429);
  });

  test('that are too many already can still be made fewer, or run less often', async () => {
    const free = await api.key({ user_id: 'over' });
    const made = await times(3, (n) => make(free, n, { frequency_hours: 1 }));
    const ids = made.map((answer) => answer.json().id);
    const key = await api.key({ user_id: 'over', max_live_jobs: 1, max_jobs_per_day: 1 });
    expect((await change(key, ids[0], '', { frequency_hours: 2 })).statusCode).toBe(200);
    expect((await change(key, ids[1], '/disable')).statusCode).toBe(200);
    expect((await change(key, ids[1], '/enable')).statusCode).toBe(429);
    const twin = await change(key, ids[0], '', { url: 'https://example.com/2' });
    expect([twin.statusCode, twin.json().error.message]).toEqual([409, expect.stringContaining(ids[2])]);
  });

  const remove = (key: string, id: string) => api.call('DELETE', `/api/v1/policies/${id}`, { key });
  const jobsOf = async (owner: string) =>
    (await api.pool.query('SELECT id, status FROM crawl_jobs WHERE user_id = $1', [owner])).rows;
  /** Makes a policy, lets the scheduler make its job, and takes the policy away again, until that is refused. */
  async function churn(key: string, rounds: number, fields: object, away: (id: string) => Promise<unknown>) {
    for (let n = 0; n < rounds; n++) {
      const made = await make(key, n, fields);
      if (made.statusCode !== 201) return made;
      await createDueJobs(api.pool, 'scheduler:w1');
      await away(made.json().id);
    }
    return undefined;
  }

  test('cost a job of the day when they are made: deleting and making them anew brings no more', async () => {
    const key = await api.key({ user_id: 'anew', max_jobs_per_day: 3 });
    const refused = await churn(key, 15, {}, async (id) =>
      expect((await remove(key, id)).statusCode).toBe(200),
    );
    expect(refused?.json().error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('3 jobs a day'),
    });
    expect(await jobsOf('anew')).toHaveLength(3);
    expect((await create(key)).statusCode).toBe(429);
    // A run that comes a moment later would do as well.
    const next_run_at = new Date(Date.now() + 60_000).toISOString();
    expect((await make(key, 20, { next_run_at })).statusCode).toBe(429);
    expect((await make(key, 21, { enabled: false })).statusCode).toBe(201);
  });

  test('cost a job of the day when they are made at once by several keys of the owner, while others are deleted', async () => {
    const keys = await times(3, () => api.key({ user_id: 'race', max_jobs_per_day: 4 }));
    const answers = await times(60, async (n) => {
      const key = keys[n % 3] ?? '';
      const made = await make(key, n, { frequency_hours: 2400 });
      if (made.statusCode === 201) await remove(keys[(n + 1) % 3] ?? '', made.json().id);
      return made;
    });
    expect(tally(answers)).toEqual({ 201: 12, 429: 48 });
  });

  test('cost a job of the day when they are enabled, or are to run more often', async () => {
    const key = await api.key({ user_id: 'again', max_jobs_per_day: 4 });
    const { id } = (await make(key, 1, { frequency_hours: 240 })).json();
    expect((await change(key, id, '/enable')).statusCode).toBe(200);
    expect((await change(key, id, '', { frequency_hours: 24 })).statusCode).toBe(200);
    expect((await change(key, id, '', { frequency_hours: 240 })).statusCode).toBe(200);
    for (const answer of [200, 200, 429]) {
      expect((await change(key, id, '/disable')).statusCode).toBe(200);
      expect((await change(key, id, '/enable')).statusCode).toBe(answer);
    }
    expect((await change(key, id, '', { frequency_hours: 480 })).statusCode).toBe(200);
  });

  test.each<[string, (key: string, id: string) => Promise<unknown>]>([
    ['deleted', remove],
    ['disabled', (key, id) => change(key, id, '/disable')],
  ])('that are %s make room among the live jobs only when their job ends', async (what, away) => {
    const key = await api.key({ user_id: what, max_live_jobs: 3 });
    const refused = await churn(key, 15, {}, (id) => away(key, id));
    expect(refused?.json().error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('3 live jobs, and disabled or deleted policies still have 3'),
    });
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
    const [job, ...others] = await jobsOf(what);
    expect(others).toHaveLength(2);
    await actOnJob(api.pool, 'cancel', job.id);
    expect((await make(key, 100)).statusCode).toBe(201);
    expect((await make(key, 101)).statusCode).toBe(429);
  });

  test('that have their job still can be enabled again, for they had it before', async () => {
    const key = await api.key({ user_id: 'back', max_live_jobs: 1 });
    const { id } = (await make(key, 1)).json();
    await createDueJobs(api.pool, 'scheduler:w1');
    expect((await change(key, id, '/disable')).statusCode).toBe(200);
    expect((await make(key, 2)).statusCode).toBe(429);
    expect((await change(key, id, '/enable')).statusCode).toBe(200);
  });

  test('can be deleted by a key that has used up everything', async () => {
    const free = await api.key({ user_id: 'spent' });
    const made = await times(2, (n) => make(free, n));
    await createDueJobs(api.pool, 'scheduler:w1');
    const key = await api.key({ user_id: 'spent', max_jobs_per_day: 0, max_live_jobs: 0 });
    const answers = await Promise.all(made.map((answer) => remove(key, answer.json().id)));
    expect(tally(answers)).toEqual({ 200: 2 });
  });
});
