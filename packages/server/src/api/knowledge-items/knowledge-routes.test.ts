import { randomUUID } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { ListeningApi, type RequestOptions } from '../../../../../test/api-fixture/listening-api.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { retryJobsLater } from '../../queue/jobs/retry-jobs-later.ts';

const api = new ListeningApi();
let alice: string;
beforeEach(async () => {
  await api.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states, crawl_policies CASCADE');
  alice = await api.key();
});

const post = (path: string, body?: unknown, options: RequestOptions = {}) =>
  api.json(path, { method: 'POST', key: alice, body, ...options });
const claim = async () => (await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' }))[0];
const policies = async () =>
  (
    await api.pool.query(
      'SELECT *, extract(epoch FROM next_run_at - now())::float8 / 86400 AS days_left FROM crawl_policies',
    )
  ).rows;

describe.each(['/api', ''])('under %s/', (prefix) => {
  const crawl = (body: unknown, options: RequestOptions = {}) =>
    post(`${prefix}/knowledge-items/crawl`, body, options);

  test('a crawl is started, followed, paused, resumed and stopped', async () => {
    const started = await crawl({ url: 'https://example.com/', max_depth: 3, tags: ['docs'] });
    const id = started.body.progressId;
    expect([started.status, started.body]).toEqual([
      200,
      { success: true, progressId: id, job_id: id, message: 'Crawling started' },
    ]);
    const progress = async (path = 'crawl-progress') =>
      (await api.json(`${prefix}/${path}/${id}`, { key: alice })).body;
    expect(await progress()).toEqual({
      success: true,
      progressId: id,
      job_id: id,
      status: 'pending',
      progress: 0,
      message: 'Waiting for a worker',
      logs: ['Waiting for a worker'],
      currentUrl: null,
      totalPages: 0,
      processedPages: 0,
      failedPages: 0,
      error: null,
    });
    const act = (action: string) => post(`${prefix}/knowledge-items/${action}/${id}`);
    expect((await act('pause')).body).toEqual({
      success: true,
      progressId: id,
      job_id: id,
      status: 'paused',
      message: 'Crawl paused',
    });
    expect(await progress('progress')).toMatchObject({ status: 'paused' });
    expect((await act('resume')).body).toMatchObject({
      success: true,
      status: 'pending',
      message: 'Crawl resumed',
    });
    expect((await act('stop')).body).toMatchObject({
      success: true,
      status: 'cancelled',
      message: 'Crawl stopped',
    });
    expect(await progress('progress')).toMatchObject({ status: 'cancelled' });
    const again = await act('stop');
    expect([again.status, again.body.status, again.body.message]).toEqual([
      200,
      'cancelled',
      'Crawl stopped',
    ]);
    const late = await act('pause');
    expect([late.status, late.body]).toEqual([
      409,
      { success: false, error: 'action_not_allowed', detail: expect.stringContaining('which is cancelled') },
    ]);
  });

  test('paths end with a slash or without', async () => {
    const started = await post(`${prefix}/knowledge-items/crawl/`, { url: 'https://example.com/' });
    expect(started.status).toBe(200);
    for (const path of ['crawl-progress', 'progress']) {
      expect((await api.json(`${prefix}/${path}/${started.body.job_id}/`, { key: alice })).status).toBe(200);
    }
    expect((await post(`${prefix}/knowledge-items/stop/${started.body.job_id}/`)).status).toBe(200);
  });

  test('what is wrong is said in the shape of the dialect', async () => {
    const bob = await api.key({ user_id: 'bob' });
    const reader = await api.key({ scopes: ['jobs:read'] });
    const { job_id } = (await crawl({ url: 'https://example.com/' })).body;
    const answers: [string, Awaited<ReturnType<typeof crawl>>][] = [
      ['400 validation_error', await crawl({})],
      ['400 validation_error', await crawl({ url: 'ftp://example.com/' })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', max_depth: -1 })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', max_depth: 'deep' })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', tags: 'docs' })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', update_frequency: 4000 })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', note: 'x'.repeat(20_001) })],
      ['400 validation_error', await crawl({ url: 'https://example.com/', note: 'x\0' })],
      ['400 validation_error', await crawl('{')],
      ['400 validation_error', await crawl([])],
      ['415 validation_error', await crawl('url=x', { headers: { 'content-type': 'text/plain' } })],
      ['401 authentication_error', await crawl({ url: 'https://example.com/' }, { key: null })],
      ['401 authentication_error', await crawl({ url: 'https://example.com/' }, { key: 'hf_nonsense' })],
      ['403 authentication_error', await crawl({ url: 'https://example.com/' }, { key: reader })],
      [
        '403 authentication_error',
        await post(`${prefix}/knowledge-items/stop/${job_id}`, undefined, { key: reader }),
      ],
      ['404 job_not_found', await api.json(`${prefix}/crawl-progress/${job_id}`, { key: bob })],
      ['404 job_not_found', await api.json(`${prefix}/progress/${randomUUID()}`, { key: alice })],
      ['404 job_not_found', await post(`${prefix}/knowledge-items/pause/${job_id}`, undefined, { key: bob })],
      ['400 validation_error', await api.json(`${prefix}/progress/17`, { key: alice })],
      ['400 validation_error', await post(`${prefix}/knowledge-items/resume/17`)],
      ['409 action_not_allowed', await post(`${prefix}/knowledge-items/resume/${job_id}`)],
      ['404 route_not_found', await post(`${prefix}/knowledge-items/restart/${job_id}`)],
      ['404 route_not_found', await api.json(`${prefix}/knowledge-items`, { key: null })],
      ['404 route_not_found', await api.json(`${prefix}/crawl-progress/`, { key: alice })],
      ['405 method_not_allowed', await api.json(`${prefix}/knowledge-items/crawl`, { key: alice })],
      ['405 method_not_allowed', await post(`${prefix}/progress/${job_id}`)],
    ];
    for (const [expected, { status, body }] of answers) {
      expect([`${status} ${body.error}`, body]).toEqual([
        expected,
        { success: false, error: expect.any(String), detail: expect.any(String) },
      ]);
    }
  });
});

const crawl = (body: unknown, options: RequestOptions = {}) =>
  post('/api/knowledge-items/crawl', body, options);

describe('a crawl of a knowledge item', () => {
  test('keeps what nobody here knows with its job', async () => {
    const { body } = await crawl({
      url: 'https://example.com/docs',
      knowledge_type: 'technical',
      tags: ['a', 'b'],
      extract_code_examples: false,
      project_id: 'p1',
      nested: { more: [1, null] },
      nothing: null,
    });
    const job = await showJob(api.pool, body.job_id);
    expect(job).toMatchObject({ kind: 'crawl', user_id: 'alice' });
    expect(job.payload).toEqual({
      url: 'https://example.com/docs',
      max_depth: 2,
      metadata: {
        knowledge_type: 'technical',
        tags: ['a', 'b'],
        extract_code_examples: false,
        project_id: 'p1',
        nested: { more: [1, null] },
      },
    });
    expect(await policies()).toEqual([]);
  });

  test('is made once for one Idempotency-Key, and within the quotas of its key', async () => {
    const limited = await api.key({ user_id: 'carl', max_live_jobs: 1 });
    const options = { key: limited, headers: { 'idempotency-key': 'once' } };
    const first = await crawl({ url: 'https://example.com/' }, options);
    expect((await crawl({ url: 'https://example.com/' }, options)).body).toEqual(first.body);
    const refused = await crawl({ url: 'https://example.org/', update_frequency: 7 }, { key: limited });
    expect([refused.status, refused.body.success, refused.body.error]).toEqual([
      429,
      false,
      'quota_exceeded',
    ]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await policies()).toEqual([]);
    const other = await crawl({ url: 'https://example.org/' }, options);
    expect([other.status, other.body.error]).toEqual([409, 'idempotency_conflict']);
  });

  test('with an update_frequency becomes a policy that crawls it again after so many days', async () => {
    const request = { url: 'https://example.com/docs', max_depth: 4, tags: ['a'], update_frequency: 7 };
    const { body } = await crawl(request);
    expect(body.message).toBe('Crawling started; again every 7 days');
    const [policy] = await policies();
    expect(policy).toMatchObject({
      user_id: 'alice',
      kind: 'crawl',
      url: 'https://example.com/docs',
      frequency_hours: '168.0000',
      enabled: true,
      options: { max_depth: 4, metadata: { tags: ['a'], update_frequency: 7 } },
    });
    expect(policy.days_left).toBeCloseTo(7, 1);
    await crawl({ ...request, max_depth: 1, update_frequency: '1' });
    const changed = await policies();
    expect(changed).toMatchObject([{ id: policy.id, frequency_hours: '24.0000', options: { max_depth: 1 } }]);
    await crawl({ ...request, update_frequency: 0 });
    expect(await policies()).toHaveLength(1);
  });
});

describe('the progress of a knowledge item', () => {
  test('says when to ask again, and is not told twice', async () => {
    const { job_id } = (await crawl({ url: 'https://example.com/' })).body;
    const look = (etag?: string) =>
      api.json(`/api/crawl-progress/${job_id}`, {
        key: alice,
        headers: etag ? { 'if-none-match': etag } : {},
      });
    const first = await look();
    expect(first.headers.get('x-poll-interval')).toBe('1000');
    const etag = first.headers.get('etag') ?? '';
    const same = await look(etag);
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, etag]);
    expect(same.headers.get('x-poll-interval')).toBe('1000');
    const job = await claim();
    await api.pool.query(
      `INSERT INTO crawl_states (job_id, total_processed, total_pending, fetched, failed, current_url)
       VALUES ($1, 12, 28, 11, 1, 'https://example.com/x')`,
      [job_id],
    );
    await api.pool.query('UPDATE crawl_jobs SET progress_percentage = 30 WHERE id = $1', [job_id]);
    const running = await look(etag);
    expect(running.status).toBe(200);
    expect(running.body).toMatchObject({
      status: 'processing',
      progress: 30,
      message: 'Crawled 12 of 40 known pages',
      currentUrl: 'https://example.com/x',
      totalPages: 40,
      processedPages: 12,
      failedPages: 1,
    });
    if (!job) throw new Error('nothing was claimed');
    await completeJobs(api.pool, [job], 'supervisor:w1');
    const done = await look(running.headers.get('etag') ?? '');
    expect(done.body).toMatchObject({ status: 'completed', progress: 100 });
    expect(done.headers.get('x-poll-interval')).toBe('0');
  });

  test('speaks of a job that waits to be retried as pending, and of one that was taken from its worker as failed', async () => {
    const { job_id } = (await crawl({ url: 'https://example.com/' })).body;
    const job = await claim();
    if (!job) throw new Error('nothing was claimed');
    await retryJobsLater(
      api.pool,
      [{ ...job, error: new HoldfastError('site_error', '503') }],
      'supervisor:w1',
    );
    const look = async () => (await api.json(`/progress/${job_id}`, { key: alice })).body;
    expect(await look()).toMatchObject({
      status: 'pending',
      message: 'Waiting for a retry',
      error: expect.any(String),
    });
    await api.pool.query(
      `UPDATE crawl_jobs SET status = 'expired', next_retry_at = NULL, completed_at = now() WHERE id = $1`,
      [job_id],
    );
    expect(await look()).toMatchObject({ status: 'failed' });
  });

  test('of a running crawl that is asked to stop says so until its worker lets go', async () => {
    const { job_id } = (await crawl({ url: 'https://example.com/' })).body;
    await claim();
    const { status, body } = await post(`/knowledge-items/stop/${job_id}`);
    expect([status, body]).toMatchObject([200, { status: 'processing', message: 'Crawl is stopping' }]);
    expect((await api.json(`/progress/${job_id}`, { key: alice })).body.message).toBe('Stopping');
  });
});
