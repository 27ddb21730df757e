import { expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';

const api = new ApiFixture();
const crawl = { kind: 'crawl', payload: { url: 'https://example.com/' } };
const create = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/jobs', { key, body, headers });
const countJobs = async () => (await api.pool.query('SELECT count(*) AS n FROM crawl_jobs')).rows[0].n;

test('makes a job, says where it is, and keeps the payload as it was sent', async () => {
  const key = await api.key({ user_id: 'carla' });
  const answer = await create(key, { ...crawl, priority: 7 });
  expect(answer.statusCode).toBe(201);
  const job = answer.json();
  expect(job).toMatchObject({ outcome: 'created', status: 'pending', priority: 7, user_id: 'carla' });
  expect(job.payload).toEqual(crawl.payload);
  expect(answer.headers.location).toBe(`/api/v1/jobs/${job.id}`);
  const shown = await api.call('GET', `/api/v1/jobs/${job.id}`, { key });
  expect(shown.json()).toMatchObject({ id: job.id, allowed_actions: ['pause', 'cancel'] });
});

test('a repeated request with its Idempotency-Key answers with the first job, and a different one is a conflict', async () => {
  const key = await api.key();
  const first = await create(key, crawl, { 'idempotency-key': 'once' });
  const again = await create(key, crawl, { 'idempotency-key': 'once' });
  expect([again.statusCode, again.json().outcome, again.json().id]).toEqual([
    200,
    'repeated',
    first.json().id,
  ]);
  const other = { ...crawl, payload: { url: 'https://example.org/' } };
  const conflict = await create(key, other, { 'idempotency-key': 'once' });
  expect([conflict.statusCode, conflict.json().error.code]).toEqual([409, 'idempotency_conflict']);
  expect(await countJobs()).toBe(1);
});

test('an idempotency key is its owner’s: another owner’s is another', async () => {
  const [alice, bob] = [await api.key(), await api.key({ user_id: 'bob' })];
  await create(alice, crawl, { 'idempotency-key': 'ours' });
  expect((await create(bob, crawl, { 'idempotency-key': 'ours' })).statusCode).toBe(201);
});

test('a live job with the same dedupe key answers instead of a new one', async () => {
  const key = await api.key();
  const first = await create(key, { ...crawl, dedupe_key: 'the site' });
  const second = await create(key, { ...crawl, dedupe_key: 'the site' });
  expect([second.statusCode, second.json().outcome]).toEqual([200, 'deduplicated']);
  expect(second.json().id).toBe(first.json().id);
});

test('1,000 requests at once with one Idempotency-Key make one job', async () => {
  const key = await api.key();
  const answers = await Promise.all(
    Array.from({ length: 1000 }, () => create(key, crawl, { 'idempotency-key': 'stampede' })),
  );
  const outcomes = answers.map((answer) => answer.json().outcome);
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(new Set(['created', 'repeated']));
  expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
  expect(await countJobs()).toBe(1);
}, 120_000);

test('scripts of one’s own in pages are for operators: in jobs, bulk requests and policies', async () => {
  const options = {
    actions: [
      { type: 'click', selector: 'a' },
      { type: 'evaluate', script: '1' },
    ],
  };
  const job = { kind: 'visit', payload: { url: 'https://example.com/', ...options } };
  const policy = { kind: 'crawl', url: 'https://example.com/scripts', options };
  const requests: [string, unknown][] = [
    ['jobs', job],
    ['jobs/bulk-create', { jobs: [crawl, job] }],
    ['policies', policy],
  ];
  const [tenant, operator] = [await api.key(), await api.key({ user_id: 'op', scopes: ['admin'] })];
  for (const [path, body] of requests) {
    const refused = await api.call('POST', `/api/v1/${path}`, { key: tenant, body });
    expect([path, refused.statusCode, refused.json().error.code]).toEqual([path, 403, 'scope_missing']);
    const made = await api.call('POST', `/api/v1/${path}`, { key: operator, body });
    expect([path, made.statusCode]).toEqual([path, 201]);
  }
  const plain = await api.call('POST', '/api/v1/policies', { key: tenant, body: { ...policy, options: {} } });
  const path = `/api/v1/policies/${plain.json().id}`;
  expect((await api.call('PATCH', path, { key: tenant, body: { options } })).statusCode).toBe(403);
});

test('a visit knows its host, as bots ask for it', async () => {
  const body = { kind: 'visit', executor: 'bot', payload: { url: 'https://Shop.EXAMPLE.com:443/a?b=c#d' } };
  const { id } = (await create(await api.key(), body)).json();
  const { rows } = await api.pool.query('SELECT host FROM crawl_jobs WHERE id = $1', [id]);
  expect(rows).toEqual([{ host: 'shop.example.com' }]);
});

test.each([
  ['an unknown field', { ...crawl, prority: 1 }, 'prority'],
  ['an unknown field of the payload', { ...crawl, payload: { ...crawl.payload, deep: 1 } }, 'payload.deep'],
  [
    'a private address to allow',
    { ...crawl, payload: { ...crawl.payload, needs_private: [] } },
    'payload.needs_private',
  ],
  ['an owner', { ...crawl, user_id: 'bob' }, 'user_id'],
  ['a URL that cannot be fetched', { ...crawl, payload: { url: 'ftp://example.com/' } }, 'payload.url'],
  ['a priority out of bounds', { ...crawl, priority: 1001 }, 'priority'],
  ['a year that no calendar has', { ...crawl, run_at: '0000-01-01T00:00:00Z' }, 'run_at'],
  ['a dedupe key of the scheduler', { ...crawl, dedupe_key: 'policy:x' }, 'dedupe_key'],
  ['a dedupe key of an intake', { ...crawl, dedupe_key: 'intake:x' }, 'dedupe_key'],
  ['an unknown kind', { kind: 'walk', payload: {} }, 'kind'],
  ['no body', undefined, 'body'],
])('refuses %s and names it', async (_case, body, field) => {
  const answer = await create(await api.key(), body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error).toMatchObject({ code: 'bad_request', details: [{ field }] });
  expect(await countJobs()).toBe(0);
});

test('makes many jobs at once, in their order', async () => {
  const jobs = Array.from({ length: 1000 }, (_, n) => ({ ...crawl, priority: n - 500 }));
  const answer = await api.call('POST', '/api/v1/jobs/bulk-create', { key: await api.key(), body: { jobs } });
  expect(answer.statusCode).toBe(201);
  expect(answer.json().data.map((job: { priority: number }) => job.priority)).toEqual(
    jobs.map(({ priority }) => priority),
  );
  expect(await countJobs()).toBe(1000);
});

test('makes all of many jobs or none', async () => {
  const key = await api.key();
  await create(key, crawl, { 'idempotency-key': 'taken' });
  const jobs = [crawl, { ...crawl, payload: { url: 'https://example.org/' }, idempotency_key: 'taken' }];
  const answer = await api.call('POST', '/api/v1/jobs/bulk-create', { key, body: { jobs } });
  expect([answer.statusCode, answer.json().error.code]).toEqual([409, 'idempotency_conflict']);
  expect(await countJobs()).toBe(1);
});

test('a batch has no Idempotency-Key of its own, and says so', async () => {
  const headers = { 'idempotency-key': 'batch' };
  const options = { key: await api.key(), body: { jobs: [crawl] }, headers };
  const answer = await api.call('POST', '/api/v1/jobs/bulk-create', options);
  expect([answer.statusCode, answer.json().error.message]).toEqual([
    400,
    expect.stringContaining('Idempotency-Key'),
  ]);
});

test('takes no more than 1,000 jobs at once', async () => {
  const jobs = Array.from({ length: 1001 }, () => crawl);
  const answer = await api.call('POST', '/api/v1/jobs/bulk-create', { key: await api.key(), body: { jobs } });
  expect([answer.statusCode, answer.json().error.details[0].field]).toEqual([400, 'jobs']);
});

test('two batches that share idempotency keys in opposite order make each job once', async () => {
  const key = await api.key();
  const jobs = Array.from({ length: 200 }, (_, n) => ({ ...crawl, idempotency_key: `k${n}` }));
  const batches = Array.from({ length: 8 }, (_, n) => (n % 2 ? jobs.toReversed() : jobs));
  const answers = await Promise.all(
    batches.map((batch) => api.call('POST', '/api/v1/jobs/bulk-create', { key, body: { jobs: batch } })),
  );
  expect(answers.map(({ statusCode }) => statusCode).filter((status) => status >= 300)).toEqual([]);
  expect(await countJobs()).toBe(200);
});

test.each([
  ['a pattern that is none', { include: ['/(/'] }, 'payload.include'],
  ['a name and password in its URL', { url: 'https://ann:pw@example.com/' }, 'payload.url'],
])('a crawl with %s is refused, by its field', async (_what, payload, field) => {
  const answer = await api.call('POST', '/api/v1/jobs', {
    key: await api.key(),
    body: { kind: 'crawl', payload: { url: 'https://example.com/', ...payload } },
  });
  const { error } = answer.json();
  expect([answer.statusCode, error.code, error.details?.[0]?.field]).toEqual([400, 'bad_request', field]);
});
