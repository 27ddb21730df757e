import { HoldfastError } from '@holdfast/contract';
import { describe, expect, test, vi } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { failJobs } from '../../queue/jobs/fail-jobs.ts';
import { listEvents } from '../../queue/jobs/find-jobs.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';

const api = new ApiFixture();
const enqueue = async (user_id = 'alice') =>
  (await enqueueJob(api.pool, { kind: 'crawl', payload: { url: 'https://example.com/' }, user_id })).job;
const claim = async () => {
  const [held] = await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  if (!held) throw new Error('nothing to claim');
  return held;
};
const act = (action: string, id: string, key: string, body?: unknown) =>
  api.call('POST', `/api/v1/jobs/${id}/${action}`, { key, ...(body !== undefined && { body }) });

describe('a job that waits', () => {
  test('is paused, resumed, cancelled and retried at once, and its timeline names who did it', async () => {
    const key = await api.key();
    const { id } = await enqueue();
    const statuses = [];
    for (const action of ['pause', 'resume', 'cancel', 'retry']) {
      const answer = await act(action, id, key, { reason: `to ${action}` });
      statuses.push([answer.statusCode, answer.json().status]);
    }
    expect(statuses).toEqual([
      [200, 'paused'],
      [200, 'pending'],
      [200, 'cancelled'],
      [200, 'pending'],
    ]);
    const events = (await listEvents(api.pool, id)).slice(1);
    expect(events.map(({ actor, reason }) => [actor, reason])).toEqual([
      ['user:alice', 'to pause'],
      ['user:alice', 'to resume'],
      ['user:alice', 'to cancel'],
      ['user:alice', 'to retry'],
    ]);
  });

  test('may be asked for again: a pause that was asked for waits for the holder once more', async () => {
    const { id } = await enqueue();
    await claim();
    await actOnJob(api.pool, 'pause', id);
    const answer = await act('pause', id, await api.key());
    expect([answer.statusCode, answer.json()]).toMatchObject([
      202,
      { status: 'processing', requested_action: 'pause' },
    ]);
  });

  test('is spelt in addresses like other addresses, or as allowed_actions has it', async () => {
    const { id } = await enqueue();
    const operator = await api.key({ scopes: ['operate'] });
    for (const path of ['reset-lock', 'resetLock']) {
      await claim();
      expect((await act(path, id, operator)).json().status).toBe('pending');
    }
    for (const path of ['retry-urls', 'retryUrls'])
      expect((await act(path, id, operator)).json().error.code).toBe('action_not_allowed');
    const { paths } = (await api.call('GET', '/api/openapi.json')).json();
    expect(Object.keys(paths).filter((path) => /[A-Z]/.test(path))).toEqual([]);
  });

  test('says what can be done now when something cannot', async () => {
    const { id } = await enqueue();
    const answer = await act('resume', id, await api.key());
    expect(answer.statusCode).toBe(409);
    expect(answer.json().error).toMatchObject({
      code: 'action_not_allowed',
      hint: 'Allowed now: pause, cancel.',
      details: [{ field: 'allowed_actions', message: 'pause, cancel' }],
    });
  });
});

describe('a running job', () => {
  test('is paused when its holder has let go: 200', async () => {
    await enqueue();
    const held = await claim();
    const answering = act('pause', held.id, await api.key());
    await vi.waitUntil(
      async () => {
        const { rows } = await api.pool.query('SELECT requested_action FROM crawl_jobs');
        return rows[0].requested_action === 'pause';
      },
      { timeout: 20_000, interval: 5 },
    );
    await releaseJobs(api.pool, [{ ...held, reason: 'asked to' }], 'supervisor:w1');
    const answer = await answering;
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'paused']);
  });

  test('whose holder does not answer is asked: 202 after two seconds', async () => {
    await enqueue();
    const held = await claim();
    const since = performance.now();
    const answer = await act('cancel', held.id, await api.key());
    expect(performance.now() - since).toBeGreaterThan(1_900);
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'processing', requested_action: 'cancel' });
    const shown = (await api.call('GET', `/api/v1/jobs/${held.id}`)).json();
    expect(shown.allowed_actions).toEqual(['resetLock', 'expire']);
  });

  test('is taken from its holder by an operator alone', async () => {
    await enqueue();
    const held = await claim();
    const [user, operator] = [await api.key(), await api.key({ scopes: ['operate'], user_id: 'olga' })];
    expect((await act('reset-lock', held.id, user)).statusCode).toBe(403);
    expect((await act('expire', held.id, user)).statusCode).toBe(403);
    const reset = await act('reset-lock', held.id, operator);
    expect([reset.statusCode, reset.json().status, reset.json().fence]).toEqual([
      200,
      'pending',
      held.fence + 1,
    ]);
    const again = await claim();
    const expired = await act('expire', again.id, operator, { reason: 'stuck' });
    expect([expired.statusCode, expired.json().status]).toEqual([200, 'expired']);
  });
});

test('retry goes on from the checkpoint, or starts over when asked', async () => {
  const key = await api.key();
  const { id } = await enqueue();
  const held = await claim();
  await api.pool.query('INSERT INTO crawl_states (job_id, fetched) VALUES ($1, 5)', [id]);
  await failJobs(api.pool, [{ ...held, error: new HoldfastError('run_failed') }], 'supervisor:w1');
  expect((await act('retry', id, key)).json().status).toBe('pending');
  expect((await api.call('GET', `/api/v1/jobs/${id}`, { key })).json().crawl).toMatchObject({ fetched: 5 });
  await act('cancel', id, key);
  await act('retry', id, key, { afresh: true });
  expect((await api.call('GET', `/api/v1/jobs/${id}`, { key })).json().crawl).toBeNull();
});

test('failed pages of a finished crawl are tried again, all or by reason', async () => {
  const key = await api.key();
  const { id } = await enqueue();
  await act('cancel', id, key);
  await api.pool.query('INSERT INTO crawl_states (job_id, failed, total_processed) VALUES ($1, 2, 2)', [id]);
  for (const [n, reason] of ['site_error', 'http_404'].entries()) {
    await api.pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url, reason)
       VALUES ($1, gen_random_uuid(), $2::int, 'failed', 0, 1, now(), 'https://example.com/' || $2::int, $3)`,
      [id, n + 1, reason],
    );
  }
  const none = await act('retry-urls', id, key, { reasons: ['dns_failed'] });
  expect([none.statusCode, none.json().error]).toMatchObject([
    409,
    { code: 'nothing_to_retry', hint: expect.stringContaining('site_error') },
  ]);
  const some = await act('retry-urls', id, key, { reasons: ['site_error'] });
  expect([some.statusCode, some.json().status]).toEqual([200, 'pending']);
  expect((await api.call('GET', `/api/v1/jobs/${id}`, { key })).json().crawl).toMatchObject({
    // Its record stays until there is a new one.
    failed: 2,
    total_pending: 1,
  });
});

test('pages of a crawl are not tried again while another with its dedupe key is live', async () => {
  const request = { kind: 'crawl', payload: { url: 'https://example.com/' }, dedupe_key: 'site' } as const;
  const finished = (await enqueueJob(api.pool, request)).job.id;
  await actOnJob(api.pool, 'cancel', finished);
  const live = (await enqueueJob(api.pool, request)).job.id;
  const answer = await act('retry-urls', finished, await api.key({ scopes: ['operate'] }));
  expect([answer.statusCode, answer.json().error]).toMatchObject([
    409,
    { code: 'live_job_exists', message: expect.stringContaining(live) },
  ]);
});

test('a job of another owner is not there', async () => {
  const { id } = await enqueue('bob');
  const [alice, operator] = [await api.key(), await api.key({ scopes: ['operate'] })];
  const answer = await act('cancel', id, alice);
  expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'job_not_found']);
  expect((await act('cancel', id, operator)).statusCode).toBe(200);
});
