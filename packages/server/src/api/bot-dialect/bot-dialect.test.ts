import { inflateRawSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { DialectFixture, success } from '../../../../../test/bot-fixture/dialect-fixture.ts';
import { documentExamples } from '../../../../../test/bot-fixture/document-examples.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';

const dialect = new DialectFixture();
const { api, post, enqueue, held, passSeconds } = dialect;

const whatAndWhy = (answer: { statusCode: number; json: () => { error?: string } }) => [
  answer.statusCode,
  answer.json().error,
];

describe('the examples of the document', () => {
  const documentJob = '550e8400-e29b-41d4-a716-446655440000';
  /** The job of the document, with its own id, made by a policy that runs daily. */
  const prepare = async () => {
    const [id] = await enqueue(['https://example.com/product/123', { priority: 10, timeout_seconds: 600 }]);
    const { rows } = await api.pool.query(
      `INSERT INTO crawl_policies (user_id, kind, url, executor, frequency_hours, timeout_minutes)
       VALUES ('alice', 'visit', 'https://example.com/product/123', 'bot', 24, 10)
       ON CONFLICT (user_id, kind, url) DO UPDATE SET updated_at = now() RETURNING id`,
    );
    await api.pool.query('UPDATE crawl_jobs SET id = $1, policy_id = $2 WHERE id = $3', [
      documentJob,
      rows[0].id,
      id,
    ]);
    await api.pool.query('UPDATE job_events SET job_id = $1 WHERE job_id = $2', [documentJob, id]);
  };
  const [pull, done, failed] = documentExamples;
  if (!pull || !done || !failed) throw new Error('three examples were expected');
  const send = ({ url, headers, body }: typeof pull) =>
    api.call('POST', url, { key: dialect.key, headers, body });

  test('are three', () => {
    expect(documentExamples.map(({ url }) => url)).toEqual([
      '/api/crawl/pull/',
      '/api/crawl/submit/',
      '/api/crawl/submit/',
    ]);
  });

  test('of a pull and a success are answered as printed', async () => {
    await prepare();
    const pulled = await send(pull);
    expect(pulled.statusCode).toBe(200);
    const [printed] = pull.answer.data.jobs as Record<string, unknown>[];
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const lease_token = expect.any(String);
    expect(pulled.json()).toEqual({
      success: true,
      data: { ...pull.answer.data, jobs: [{ ...printed, locked_until: time, lease_token }] },
    });
    expect(Object.keys(pulled.json().data.jobs[0])).toEqual([...Object.keys(printed ?? {}), 'lease_token']);

    const submitted = await send(done);
    expect(submitted.statusCode).toBe(201);
    expect(submitted.json()).toEqual({
      success: true,
      data: { ...done.answer.data, result_id: expect.any(String), policy_next_run: time },
    });
    expect(Object.keys(submitted.json().data)).toEqual(Object.keys(done.answer.data));
    const inHours = (Date.parse(submitted.json().data.policy_next_run) - Date.now()) / 3_600_000;
    expect(inHours).toBeCloseTo(24, 1);
    const { rows } = await api.pool.query('SELECT title, in_stock, price::text FROM crawl_results');
    expect(rows).toEqual([{ title: 'Product Name', in_stock: true, price: '99.99' }]);
  });

  test('of a failure are answered as printed, and a failure without retries left as the requirements have it', async () => {
    await prepare();
    for (const retry_count of [1, 2, 3]) {
      await send(pull);
      const answer = await send(failed);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({ ...failed.answer, data: { ...failed.answer.data, retry_count } });
    }
    await send(pull);
    const last = await send(failed);
    expect(last.statusCode).toBe(200);
    expect(last.json()).toEqual({
      success: true,
      data: {
        job_id: documentJob,
        status: 'failed',
        retry_count: 3,
        max_retries: 3,
        error: 'Timeout: page did not load',
        message: 'Retries exhausted',
      },
    });
  });

  test('are answered without the trailing slash as well, and with fields that nobody knows', async () => {
    await enqueue(['https://example.com/a'], ['https://other.example/b']);
    const body = {
      bot_id: 'string',
      max_jobs: 10,
      domain: 'example.com',
      version: '2.0',
      extra: { deep: [1] },
    };
    const answer = await post('pull', body);
    expect(answer.json().data).toMatchObject({
      jobs: [{ url: 'https://example.com/a' }],
      count: 1,
      skipped: 0,
    });
    const { job_id } = answer.json().data.jobs[0];
    const submitted = await post('submit', { ...success, bot_id: 'string', job_id, user_agent: 'x' });
    expect(submitted.statusCode).toBe(201);
  });
});

describe('a price', () => {
  test.each([
    ['99.99', '99.99'],
    ['99.990', '99.990'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1234567890123456789.01', '1234567890123456789.01'],
    ['1e2', '100'],
    ['0', '0'],
    ['-0.0', '0.0'],
    ['"12.50"', '12.50'],
  ])('of %s is stored and answered as %s', async (written, stored) => {
    const { job_id } = await held();
    const answer = await post(
      'submit/',
      `{"bot_id":"bot-001","job_id":"${job_id}","success":true,"price":${written},"currency":"vnd"}`,
    );
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toContain(`"price":${stored},"currency":"VND"`);
    const { rows } = await api.pool.query('SELECT price::text, currency FROM crawl_results');
    expect(rows).toEqual([{ price: stored, currency: 'VND' }]);
  });
});

describe('a submit', () => {
  test('keeps raw HTML deflated and parsed data to its last digit, and makes naughty text storable', async () => {
    const { job_id } = await held();
    const raw_html = `<p>${'“naughty” \0 '.repeat(1000)}</p>`;
    const body = JSON.stringify({ ...success, job_id, raw_html, title: 'a\0b\ud800' }).replace(
      '{',
      '{"parsed_data":{"was": 129.900, "big": 12345678901234567890},',
    );
    expect((await post('submit/', body)).statusCode).toBe(201);
    const { rows } = await api.pool.query(
      'SELECT raw_html, parsed_data::text AS data, title FROM crawl_results',
    );
    expect(rows[0].raw_html.length).toBeLessThan(1000);
    expect(inflateRawSync(rows[0].raw_html).toString()).toBe(raw_html.replaceAll('\0', '\u{fffd}'));
    expect(rows[0].data).toBe('{"big": 12345678901234567890, "was": 129.900}');
    expect(rows[0].title).toBe('a\u{fffd}b\u{fffd}');
  });

  test('repeated with its token has the same status and body, byte for byte', async () => {
    const { job_id, lease_token } = await held();
    const first = await post('submit/', { ...success, job_id, lease_token });
    const second = await post('submit/', { ...success, job_id, lease_token, price: 1 });
    expect([second.statusCode, second.body]).toEqual([201, first.body]);
    const again = await held(undefined, { max_retries: 0 });
    const failure = {
      bot_id: 'bot-001',
      job_id: again.job_id,
      lease_token: again.lease_token,
      success: false,
    };
    const failed = await post('submit/', failure);
    expect(failed.json().data).toMatchObject({ status: 'failed', error: 'The bot reported a failure' });
    expect((await post('submit/', failure)).body).toBe(failed.body);
  });

  test('after a requested cancel says so', async () => {
    const { job_id } = await held();
    await actOnJob(api.pool, 'cancel', job_id);
    const beat = await post('heartbeat/', { bot_id: 'bot-001', job_id });
    expect(beat.json().data).toEqual({ job_id, locked_until: expect.any(String), action: 'cancel' });
    const answer = await post('submit/', { bot_id: 'bot-001', job_id, success: false });
    expect(answer.json().data).toMatchObject({ status: 'cancelled', message: 'Job cancelled as requested' });
  });
});

describe('a batch', () => {
  test('is answered item by item, in its order', async () => {
    await enqueue(['https://a.example/1'], ['https://a.example/2'], ['https://a.example/3']);
    const { jobs } = (await post('pull/', { bot_id: 'bot-001' })).json().data;
    const [one, two, three] = jobs;
    const answer = await post('submit-batch/', {
      bot_id: 'bot-001',
      items: [
        { ...success, job_id: one.job_id, lease_token: one.lease_token, price: 0.1 },
        { job_id: two.job_id, success: false, error_msg: 'blocked' },
        { ...success, job_id: three.job_id, price: -1 },
        { ...success, job_id: crypto.randomUUID() },
        'nonsense',
        { ...success, job_id: one.job_id },
      ],
    });
    expect(answer.statusCode).toBe(200);
    const { items, accepted, refused } = answer.json().data;
    expect([accepted, refused]).toEqual([2, 4]);
    expect(items).toMatchObject([
      { success: true, status_code: 201, data: { job_id: one.job_id, status: 'done', price: 0.1 } },
      { success: true, status_code: 200, data: { job_id: two.job_id, status: 'pending' } },
      {
        success: false,
        status_code: 400,
        error: 'validation_error',
        detail: expect.stringContaining('price'),
      },
      { success: false, status_code: 404, error: 'job_not_found' },
      { success: false, status_code: 400, error: 'validation_error' },
      { success: false, status_code: 400, error: 'job_not_locked' },
    ]);
  });

  test('of a hundred stores a hundred results', async () => {
    await enqueue(...Array.from({ length: 100 }, (_, n) => [`https://a.example/${n}`] as [string]));
    const { jobs } = (await post('pull/', { bot_id: 'bot-001', max_jobs: 100 })).json().data;
    const items = jobs.map((job: { job_id: string; lease_token: string }) => ({ ...success, ...job }));
    const answer = await post('submit-batch', { bot_id: 'bot-001', items });
    expect(answer.json().data).toMatchObject({ accepted: 100, refused: 0 });
    const { rows } = await api.pool.query('SELECT count(*) AS results FROM crawl_results');
    expect(rows).toEqual([{ results: 100 }]);
  });
});

describe('a pull that is repeated', () => {
  test.each([
    ['a header', {}, { 'idempotency-key': 'k' }],
    ['a field', { idempotency_key: 'k' }, {}],
  ])('with its idempotency key in %s has the same body', async (_place, fields, headers) => {
    await enqueue(['https://a.example/1'], ['https://a.example/2']);
    const pull = () =>
      post(
        'pull/',
        { bot_id: 'bot-001', max_jobs: 1, ...fields },
        { headers: headers as Record<string, string> },
      );
    const [first, second] = [await pull(), await pull()];
    expect(first.json().data.count).toBe(1);
    expect(second.body).toBe(first.body);
    const [job] = second.json().data.jobs;
    expect((await post('submit/', { ...success, ...job })).statusCode).toBe(201);
  });
});

test('a heartbeat begins the lock anew', async () => {
  const { job_id, lease_token } = await held(undefined, { lock_ttl_seconds: 60 });
  await passSeconds(30);
  const answer = await post('heartbeat/', { bot_id: 'bot-001', job_id, lease_token });
  expect(answer.json()).toEqual({
    success: true,
    data: { job_id, locked_until: expect.stringMatching(/^[\d-]+T[\d:]+Z$/), action: 'continue' },
  });
  const { rows } = await api.pool.query(
    "SELECT lease_expires_at > now() + interval '50 s' AS anew FROM crawl_jobs",
  );
  expect(rows).toEqual([{ anew: true }]);
});

test('a paused source is noticed within a second or two', async () => {
  await enqueue(['https://paused.example/'], ['https://open.example/']);
  await api.pool.query(
    `INSERT INTO sources (id, name, hosts, configured, enabled) VALUES ('p', 'p', '{paused.example}', true, false)`,
  );
  await vi.waitUntil(
    async () => {
      await api.pool.query(
        `UPDATE crawl_jobs SET status = 'pending', worker_id = NULL, lease_expires_at = NULL`,
      );
      const { data } = (await post('pull/', { bot_id: 'bot-001' })).json();
      return data.count === 1 && data.jobs[0].url === 'https://open.example/';
    },
    { timeout: 10_000, interval: 50 },
  );
});

test('whoever else has the bots scope, an unbound key speaks for any bot of its owner', async () => {
  await enqueue(['https://a.example/']);
  const one = await post('pull/', { bot_id: 'bot-a' });
  expect(whatAndWhy(one)).toEqual([200, undefined]);
  expect(whatAndWhy(await post('pull/', { bot_id: 'bot-b' }))).toEqual([200, undefined]);
});
