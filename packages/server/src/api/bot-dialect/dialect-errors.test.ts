import { botErrors } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { DialectFixture, success } from '../../../../../test/bot-fixture/dialect-fixture.ts';
import { recoverJobs } from '../../queue/jobs/recover-jobs.ts';

const dialect = new DialectFixture();
const { api, post, enqueue, held, passSeconds } = dialect;

// In this order: the last one looks at what the others met.
describe('every error has the shape of the dialect', { shuffle: false }, () => {
  const reached = new Set<string>();
  const expectError = (
    answer: { statusCode: number; headers: object; json: () => unknown },
    status: number,
    error: string,
  ) => {
    reached.add(error);
    expect([answer.statusCode, answer.json()]).toEqual([
      status,
      { success: false, error, detail: expect.any(String) },
    ]);
  };

  test.each([
    ['no bot_id', 'pull/', {}],
    ['an empty bot_id', 'pull/', { bot_id: '' }],
    ['a bot_id of 101 characters', 'pull/', { bot_id: 'x'.repeat(101) }],
    ['max_jobs of 0', 'pull/', { bot_id: 'b', max_jobs: 0 }],
    ['max_jobs of 101', 'pull/', { bot_id: 'b', max_jobs: 101 }],
    ['max_jobs that is no whole number', 'pull/', { bot_id: 'b', max_jobs: 1.5 }],
    ['a domain that is none', 'pull/', { bot_id: 'b', domain: 'http://x/' }],
    ['no JSON', 'pull/', '{'],
    ['no body', 'pull/', undefined],
    ['an array', 'pull/', '[]'],
    ['null', 'pull/', 'null'],
    ['no job_id', 'submit/', success],
    ['a job_id that is none', 'submit/', { ...success, job_id: 'uuid' }],
    ['no success', 'submit/', { ...success, success: undefined, job_id: crypto.randomUUID() }],
    ['a success without price', 'submit/', { ...success, price: undefined, job_id: crypto.randomUUID() }],
    ['a success without currency', 'submit/', { ...success, currency: null, job_id: crypto.randomUUID() }],
    ['a negative price', 'submit/', { ...success, price: -0.01, job_id: crypto.randomUUID() }],
    ['a price of words', 'submit/', { ...success, price: 'cheap', job_id: crypto.randomUUID() }],
    [
      'a price beyond all bounds',
      'submit/',
      `{"bot_id":"b","job_id":"${crypto.randomUUID()}","success":true,"price":1e400,"currency":"USD"}`,
    ],
    [
      'a price of NaN',
      'submit/',
      `{"bot_id":"b","job_id":"${crypto.randomUUID()}","success":true,"price":NaN,"currency":"USD"}`,
    ],
    ['a currency of two letters', 'submit/', { ...success, currency: 'US', job_id: crypto.randomUUID() }],
    ['a currency of digits', 'submit/', { ...success, currency: '123', job_id: crypto.randomUUID() }],
    [
      'a title of 1,001 characters',
      'submit/',
      { ...success, title: 'x'.repeat(1001), job_id: crypto.randomUUID() },
    ],
    [
      'parsed data beyond a million characters',
      'submit/',
      { ...success, parsed_data: ['x'.repeat(1_000_000)], job_id: crypto.randomUUID() },
    ],
    [
      'raw HTML beyond 5 MB',
      'submit/',
      { ...success, raw_html: 'x'.repeat(5_000_001), job_id: crypto.randomUUID() },
    ],
    [
      'a body beyond all bounds',
      'submit/',
      { ...success, raw_html: 'x'.repeat(17_000_000), job_id: crypto.randomUUID() },
    ],
    ['an empty batch', 'submit-batch/', { bot_id: 'b', items: [] }],
    ['a batch of 101', 'submit-batch/', { bot_id: 'b', items: Array.from({ length: 101 }, () => ({})) }],
    ['a heartbeat for nothing', 'heartbeat/', { bot_id: 'b' }],
  ])('validation_error 400: %s', async (_case, path, body) => {
    expectError(await post(path, body), 400, 'validation_error');
  });

  test('validation_error 400: a form instead of JSON', async () => {
    const form = await post('pull/', 'bot_id=b', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expectError(form, 400, 'validation_error');
  });

  test.each(['pull', 'submit', 'submit-batch', 'heartbeat'])(
    'authentication_error: %s without a key 401, with a wrong one 401, with too small a scope 403',
    async (path) => {
      expectError(await post(path, {}, { key: null }), 401, 'authentication_error');
      expectError(await post(path, {}, { key: `hf_${'a'.repeat(43)}` }), 401, 'authentication_error');
      expectError(
        await post(path, {}, { key: await api.key({ scopes: ['jobs:read'] }) }),
        403,
        'authentication_error',
      );
    },
  );

  test('authentication_error 403: a key that is bound to another bot, and a bot that is disabled', async () => {
    const { job_id } = await held();
    const bound = await api.key({ scopes: ['bots'], bot_id: 'bot-007' });
    for (const [path, body] of [
      ['pull/', { bot_id: 'bot-001' }],
      ['submit/', { ...success, job_id }],
      ['submit-batch/', { bot_id: 'bot-001', items: [{ ...success, job_id }] }],
      ['heartbeat/', { bot_id: 'bot-001', job_id }],
    ] as const) {
      expectError(await post(path, body, { key: bound }), 403, 'authentication_error');
    }
    expect((await post('pull/', { bot_id: 'bot-007' }, { key: bound })).statusCode).toBe(200);
    await api.pool.query('UPDATE bots SET enabled = false');
    expectError(await post('pull/', { bot_id: 'bot-001' }), 403, 'authentication_error');
    expectError(await post('submit/', { ...success, job_id }), 403, 'authentication_error');
  });

  test('job_not_found 404: no such job, or one of another owner', async () => {
    const { job_id } = await held();
    expectError(await post('submit/', { ...success, job_id: crypto.randomUUID() }), 404, 'job_not_found');
    const bobs = await api.key({ scopes: ['bots'], user_id: 'bob' });
    expectError(await post('submit/', { ...success, job_id }, { key: bobs }), 404, 'job_not_found');
    expectError(await post('heartbeat/', { bot_id: 'bot-001', job_id }, { key: bobs }), 404, 'job_not_found');
  });

  test('job_not_locked 400: nobody holds it', async () => {
    const [job_id] = await enqueue(['https://a.example/']);
    expectError(await post('submit/', { ...success, job_id }), 400, 'job_not_locked');
    expectError(await post('heartbeat/', { bot_id: 'bot-001', job_id }), 400, 'job_not_locked');
  });

  test('not_assigned 403: another bot holds it, and its token is no help', async () => {
    const { job_id, lease_token } = await held();
    const other = { ...success, bot_id: 'bot-002', job_id };
    expectError(await post('submit/', other), 403, 'not_assigned');
    expectError(await post('submit/', { ...other, lease_token }), 403, 'not_assigned');
    expectError(await post('submit/', { ...other, lease_token: 'made-up' }), 403, 'not_assigned');
  });

  test('not_assigned 403: a token that was never given for this job, whatever has become of the job', async () => {
    const { job_id, lease_token } = await held();
    const { job_id: other_id } = await held('https://example.com/other');
    const mine = { ...success, job_id };
    for (const foreign of ['made-up', lease_token.slice(0, -2), `${lease_token}AA`]) {
      expectError(await post('submit/', { ...mine, lease_token: foreign }), 403, 'not_assigned');
      expectError(await post('heartbeat/', { ...mine, lease_token: foreign }), 403, 'not_assigned');
    }
    expectError(await post('submit/', { ...mine, job_id: other_id, lease_token }), 403, 'not_assigned');
    expect((await post('submit/', { ...mine, lease_token })).statusCode).toBe(201);
    expectError(await post('submit/', { ...mine, lease_token: 'made-up' }), 403, 'not_assigned');
  });

  test('lock_expired 400: its time is over, before and after the sweep, or the token is an old one', async () => {
    const { job_id, lease_token } = await held();
    await passSeconds(601);
    expectError(await post('submit/', { ...success, job_id }), 400, 'lock_expired');
    expectError(await post('heartbeat/', { bot_id: 'bot-001', job_id }), 400, 'lock_expired');
    await recoverJobs(api.pool, 'watchdog:w1');
    expectError(await post('submit/', { ...success, job_id, lease_token }), 400, 'lock_expired');
    expectError(await post('submit/', { ...success, job_id }), 400, 'lock_expired');
    expectError(await post('heartbeat/', { bot_id: 'bot-001', job_id }), 400, 'lock_expired');
    await post('pull/', { bot_id: 'bot-001' });
    expectError(await post('submit/', { ...success, job_id, lease_token }), 400, 'lock_expired');
  });

  test('rate_limited 429, with Retry-After: a bot that pulls too often, and a key that is used up', async () => {
    await post('pull/', { bot_id: 'bot-001' });
    await api.pool.query('UPDATE bots SET max_pulls_per_minute = 1');
    const refused = await post('pull/', { bot_id: 'bot-001' });
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const small = await api.key({ scopes: ['bots'], max_requests_per_minute: 1 });
    const answers = [1, 2, 3].map(() => post('pull/', { bot_id: 'b' }, { key: small }));
    const last = (await Promise.all(answers)).find(({ statusCode }) => statusCode !== 200);
    if (!last) throw new Error('three requests a minute were let through');
    expectError(last, 429, 'rate_limited');
  });

  test('internal_error 500, and not a word about what happened inside', async () => {
    await api.pool.query('ALTER TABLE bot_submissions RENAME TO gone');
    try {
      const { job_id } = await held();
      const answer = await post('submit/', { ...success, job_id });
      expectError(answer, 500, 'internal_error');
      expect(answer.body).not.toContain('bot_submissions');
    } finally {
      await api.pool.query('ALTER TABLE gone RENAME TO bot_submissions');
    }
  });

  test('route_not_found 404 and method_not_allowed 405: an address that is none, with or without a key', async () => {
    for (const options of [{ key: dialect.key }, { key: null }]) {
      expectError(await post('pul/', {}, options), 404, 'route_not_found');
      expectError(await api.call('GET', '/api/crawl', options), 404, 'route_not_found');
      const got = await api.call('GET', '/api/crawl/pull/', options);
      expectError(got, 405, 'method_not_allowed');
      expect(got.headers.allow).toBe('POST');
    }
    expectError(await api.call('POST', '/api/crawl/%zz', { key: dialect.key }), 400, 'validation_error');
    expect((await api.call('GET', '/api/crawler')).json().error.code).toBe('route_not_found');
  });

  test('and each of them was reached', () => {
    expect([...reached].toSorted()).toEqual([...botErrors].toSorted());
  });
});
