import { Writable } from 'node:stream';
import { HoldfastError } from '@holdfast/contract';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../test/api-fixture/api-fixture.ts';
import { enqueueJob } from '../queue/jobs/enqueue-jobs.ts';
import { createServer } from './create-server.ts';
import { describeError, reportError } from './error-answers.ts';
import type { RouteGroup } from './route-group.ts';
import { statusRoutes } from './status-routes.ts';

const api = new ApiFixture();
const someId = '01a1e1d5-de60-7d19-800b-34c5346a372f';
const crawl = { kind: 'crawl' as const, payload: { url: 'https://example.com/' } };
const post = (payload: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/v1/jobs', {
    body: payload,
    headers: { 'content-type': 'application/json', ...headers },
  });

/** A server with these routes alone. */
const serverWith = (register: RouteGroup, log = api.context.log) =>
  createServer({ ...api.context, log }, [{ prefix: '/', register }]);

describe('errors have one shape', () => {
  test.each([
    ['GET', '/api/v1/nothing', 404, 'route_not_found'],
    ['GET', `/api/v1/jobs/${someId}`, 404, 'job_not_found'],
    ['GET', '/api/v1/jobs/no-uuid', 400, 'bad_request'],
    ['GET', '/api/v1/jobs/%zz', 400, 'bad_request'],
    ['GET', '/api/v1/jobs/%00', 400, 'bad_request'],
    ['GET', '/api/v1/jobs?status=gone', 400, 'bad_request'],
    ['GET', '/api/v1/jobs?search=%00', 400, 'bad_request'],
    ['GET', '/api/v1/jobs?limit=99999', 400, 'bad_request'],
    ['GET', '/api/v1/jobs?unknown=1', 400, 'bad_request'],
    ['PUT', `/api/v1/jobs/${someId}`, 405, 'method_not_allowed'],
    ['DELETE', '/api/v1/jobs', 405, 'method_not_allowed'],
  ] as const)('%s %s answers %i %s', async (method, url, status, code) => {
    const answer = await api.call(method, url);
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toEqual({
      error: expect.objectContaining({ code, request_id: answer.headers['x-request-id'] }),
    });
    expect(Object.keys(answer.json())).toEqual(['error']);
  });

  test('405 says what the address takes', async () => {
    const answer = await api.call('PUT', `/api/v1/jobs/${someId}/`);
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'DELETE, GET, HEAD']);
  });

  test('an error inside tells nothing of itself but where to look', async () => {
    const lines: string[] = [];
    const log = pino(
      new Writable({
        write: (line, _encoding, done) => {
          lines.push(String(line));
          done();
        },
      }),
    );
    const server = await serverWith((routes) => {
      routes.get('/broken', { config: { access: 'public' } }, async () => {
        throw new Error('the secret is 42');
      });
    }, log);
    const answer = await server.inject({ url: '/broken', headers: { 'x-request-id': 'trace-me' } });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('42');
    expect(answer.json().error).toMatchObject({ code: 'internal_error', request_id: 'trace-me' });
    expect(lines.join('')).toMatch(/"request":"trace-me".*the secret is 42/);
    await server.close();
  });

  test('a group with a shape of its own gets refused keys, invalid bodies and its own errors in that shape', async () => {
    const server = await serverWith((routes) => {
      routes.setErrorHandler((error, request, reply) => {
        const { code } = reportError(error, request, reply);
        return reply.send({ success: false, error: code });
      });
      routes.post('/dialect', { config: { access: { scope: 'bots' } } }, async () => {
        throw new HoldfastError('job_not_found');
      });
    });
    const call = async (headers: Record<string, string>, payload = '{}') => {
      const answer = await server.inject({
        method: 'POST',
        url: '/dialect',
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      });
      return [answer.statusCode, answer.json()];
    };
    const bot = { authorization: `Bearer ${await api.key({ scopes: ['bots'] })}` };
    const viewer = { authorization: `Bearer ${await api.key({ scopes: ['jobs:read'] })}` };
    expect(await call({})).toEqual([401, { success: false, error: 'key_missing' }]);
    expect(await call(viewer)).toEqual([403, { success: false, error: 'scope_missing' }]);
    expect(await call(bot, '{')).toEqual([400, { success: false, error: 'bad_request' }]);
    expect(await call(bot)).toEqual([404, { success: false, error: 'job_not_found' }]);
    await server.close();
  });

  test.each([
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    [Object.assign(new Error('sorry, too many clients already'), { code: '53300' })],
    [Object.assign(new Error('terminating connection'), { code: '57P01' })],
    [Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
    [new Error('timeout exceeded when trying to connect')],
    [new Error('Connection terminated unexpectedly')],
  ])('%s is a database that is away, to be tried again', (error) => {
    expect(describeError(error)).toMatchObject({
      code: 'database_unavailable',
      status: 503,
      retryAfterSeconds: 2,
    });
  });
});

describe('what is sent is checked before anything is done with it', () => {
  test.each([
    ['no JSON', '{"kind":', 400, 'bad_request'],
    ['a NUL', JSON.stringify({ ...crawl, dedupe_key: 'a\0b' }), 400, 'bad_request'],
    [
      'a NUL in a name',
      JSON.stringify({ ...crawl, payload: { url: 'https://a.example/', metadata: { 'a\0b': 1 } } }),
      400,
      'bad_request',
    ],
    ['half a surrogate pair', JSON.stringify({ ...crawl, dedupe_key: '\ud800' }), 400, 'bad_request'],
    [
      'a prototype',
      '{"kind":"crawl","payload":{"url":"https://a.example/","__proto__":{"x":1}}}',
      400,
      'bad_request',
    ],
    ['a constructor', '{"constructor":{"prototype":{"x":1}}}', 400, 'bad_request'],
    [
      '33 levels',
      `{"kind":"crawl","payload":{"url":"https://a.example/","metadata":{"a":${'['.repeat(31)}${']'.repeat(31)}}}}`,
      400,
      'bad_request',
    ],
    ['a million levels', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 400, 'bad_request'],
    ['2 MB and more', JSON.stringify({ kind: 'x'.repeat(2 * 1024 * 1024) }), 413, 'request_too_large'],
  ])('%s is refused', async (_case, payload, status, code) => {
    const answer = await post(payload);
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code]);
  });

  test('a body that is not JSON is not guessed at', async () => {
    const answer = await post('kind=crawl', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('text that cannot be stored is named', async () => {
    const body = { ...crawl, payload: { url: 'https://a.example/', metadata: { note: 'a\0b' } } };
    const { message } = (await post(JSON.stringify(body))).json().error;
    expect(message).toContain(': payload.metadata.note must be well-formed Unicode without NUL');
  });
});

describe('request ids', () => {
  test('the caller’s is kept, if it can stand in a log', async () => {
    const { headers } = await api.call('GET', '/api/v1/jobs', { headers: { 'x-request-id': 'mine-1' } });
    expect(headers['x-request-id']).toBe('mine-1');
  });

  test.each(['', 'a b', '{"a":1}', 'x'.repeat(101), 'line\u0085break'])('%j is replaced', async (given) => {
    const { headers } = await api.call('GET', '/api/v1/jobs', { headers: { 'x-request-id': given } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('every answer carries the headers that keep browsers from harm', async () => {
  for (const url of ['/', '/health', '/api/v1/jobs', '/api/v1/nothing', '/api/docs/', '/api/v1/jobs/%zz']) {
    const { headers } = await api.call('GET', url);
    expect(headers, url).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(headers['content-security-policy'], url).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
  }
});

test('a route that says nothing about who may call it keeps the server from starting', async () => {
  await expect(serverWith((routes) => void routes.get('/open', async () => 'hello'))).rejects.toThrow(
    'These routes declare no access: GET /open',
  );
});

test('a trailing slash makes no difference', async () => {
  expect((await api.call('GET', '/api/v1/jobs/')).statusCode).toBe(200);
});

test('an unchanged job costs its poller nothing: ETag and 304', async () => {
  const { job } = await enqueueJob(api.pool, crawl);
  const url = `/api/v1/jobs/${job.id}`;
  const first = await api.call('GET', url);
  const etag = String(first.headers.etag);
  const second = await api.call('GET', url, { headers: { 'if-none-match': `"other", W/${etag}` } });
  expect([second.statusCode, second.body, second.headers.etag]).toEqual([304, '', etag]);
  await api.pool.query('UPDATE crawl_jobs SET priority = 9 WHERE id = $1', [job.id]);
  const third = await api.call('GET', url, { headers: { 'if-none-match': etag } });
  expect([third.statusCode, third.json().priority]).toEqual([200, 9]);
});

describe('whether requests should be sent here', () => {
  const ready = async (path = '/ready') => {
    const answer = await api.call('GET', path, { key: null });
    return [answer.statusCode, answer.json()];
  };

  test('is told without a key, by all names that probes use', async () => {
    for (const path of ['/ready', '/readyz', '/ready/'])
      expect(await ready(path)).toEqual([200, { ready: true }]);
    for (const path of ['/livez', '/live']) expect(await ready(path)).toEqual([200, { alive: true }]);
    expect(await ready('/healthz')).toEqual(await ready('/health'));
    expect((await api.call('HEAD', '/ready', { key: null })).statusCode).toBe(200);
  });

  test('not while migrations are missing', async () => {
    const { rows } = await api.pool.query(
      'DELETE FROM holdfast_migrations WHERE version = (SELECT max(version) FROM holdfast_migrations) RETURNING *',
    );
    expect(await ready()).toEqual([503, { ready: false, reason: 'migrations' }]);
    expect(await ready('/livez')).toEqual([200, { alive: true }]);
    await api.pool.query(
      'INSERT INTO holdfast_migrations SELECT * FROM jsonb_populate_recordset(NULL::holdfast_migrations, $1)',
      [JSON.stringify(rows)],
    );
    expect(await ready()).toEqual([200, { ready: true }]);
  });

  test('not while it stops, though it still answers', async () => {
    const server = await createServer({ ...api.context, draining: AbortSignal.abort() }, [
      { prefix: '/', register: statusRoutes },
    ]);
    const answer = await server.inject('/ready');
    expect([answer.statusCode, answer.json()]).toEqual([503, { ready: false, reason: 'stopping' }]);
    for (const path of ['/livez', '/health', '/api/docs/'])
      expect((await server.inject(path)).statusCode).toBe(200);
    await server.close();
  });
});

describe('whether it is well', () => {
  test('is told to anybody, and nothing else', async () => {
    await enqueueJob(api.pool, crawl);
    const keys = [null, 'hf_wrong', await api.key({ scopes: ['jobs:read', 'jobs:write'] })];
    for (const key of keys) {
      const health = await api.call('GET', '/health', { key });
      expect([health.statusCode, health.json()]).toEqual([200, { ready: true }]);
      const page = await api.call('GET', '/status', { key });
      expect(page.statusCode).toBe(200);
      expect(page.body).toContain('Holdfast is up');
      expect(page.body).not.toMatch(/database of a test|Schema|pending|Version/);
    }
  });

  test('comes with the details for who may operate', async () => {
    await enqueueJob(api.pool, { kind: 'crawl', payload: { url: 'https://secret.example/' } });
    const key = await api.key({ scopes: ['operate'] });
    const health = await api.call('GET', '/health', { key });
    expect(health.json()).toMatchObject({
      ready: true,
      version: expect.any(String),
      database: 'the database of a test',
      schema: expect.any(Number),
      jobs: { pending: 1 },
    });
    const page = await api.call('GET', '/status', { key });
    expect(page.body).toContain('the database of a test');
    expect(page.body).toContain('<td>pending</td><td class="count">1</td>');
    expect(page.body + health.body).not.toContain('secret.example');
  });
});
