import { HoldfastApiError, HoldfastConnectionError, HoldfastTimeoutError } from '@holdfast/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { crawl, SdkFixture } from './sdk-fixture.ts';

const fixture = new SdkFixture();
const { line } = fixture;
beforeEach(() => fixture.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states'));

/** What a call fails with. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (error: unknown) => error,
  );
}

const jobCount = async () =>
  (await fixture.pool.query('SELECT count(*) AS count FROM crawl_jobs')).rows[0].count;

describe('jobs', () => {
  test('are made, shown, listed over pages, steered and followed to their end', async () => {
    const holdfast = await fixture.client();
    const job = await holdfast.jobs.create({ ...crawl, priority: 5 });
    expect(job).toMatchObject({
      status: 'pending',
      priority: 5,
      outcome: 'created',
      url: 'https://example.com/',
    });
    const many = await holdfast.jobs.createMany(
      [1, 2, 3, 4].map((n) => ({ kind: 'crawl', payload: { url: `https://example.com/${n}` } })),
    );
    expect(many.map(({ url }) => url)).toEqual([1, 2, 3, 4].map((n) => `https://example.com/${n}`));

    const ids: string[] = [];
    for await (const { id } of holdfast.jobs.list({ limit: 2, status: ['pending', 'paused'] })) ids.push(id);
    expect(ids).toEqual([...many.map(({ id }) => id).toReversed(), job.id]);
    const sizes: number[] = [];
    for await (const { data } of holdfast.jobs.list({ limit: 2 }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect((await holdfast.jobs.list({ limit: 2 }).toArray(3)).map(({ id }) => id)).toEqual(ids.slice(0, 3));

    expect((await holdfast.jobs.pause(job.id, { reason: 'lunch' })).status).toBe('paused');
    expect((await holdfast.jobs.resume(job.id)).status).toBe('pending');
    expect((await holdfast.jobs.cancel(job.id)).status).toBe('cancelled');
    expect((await holdfast.jobs.retry(job.id, { afresh: true })).status).toBe('pending');
    const events = await holdfast.jobs.events(job.id, { limit: 2 }).toArray();
    expect(events.map(({ transition }) => transition)).toEqual([
      'enqueue',
      'pause',
      'resume',
      'cancel',
      'retry',
    ]);
    expect(events[1]?.reason).toBe('lunch');
    expect(await holdfast.jobs.progress(job.id)).toMatchObject({ job_id: job.id, status: 'pending' });
    const { outcomes } = await holdfast.jobs.bulk({ action: 'cancel', filter: { status: ['pending'] } });
    expect(outcomes).toMatchObject({ done: 5, not_allowed: 0 });
    expect(await holdfast.jobs.get(job.id)).toMatchObject({ status: 'cancelled', crawl: null });
  });

  test('are waited for to their end, with progress on the way', async () => {
    const holdfast = await fixture.client();
    const job = await holdfast.jobs.create(crawl);
    const statuses: string[] = [];
    const ended = holdfast.waitFor(job, {
      onProgress: ({ status }) => {
        statuses.push(status);
        if (status === 'pending' && statuses.length === 1) void fixture.complete(job);
      },
    });
    expect(await ended).toMatchObject({ id: job.id, status: 'completed', progress_percentage: 100 });
    expect(statuses[0]).toBe('pending');
    expect(statuses.at(-1)).toBe('completed');
  });

  test('are waited for through a restart of the API', async () => {
    const holdfast = await fixture.client({ retries: 0 });
    const job = await holdfast.jobs.create(crawl);
    line.next(new RegExp(`/jobs/${job.id}$`), 'lose request', 'lose answer');
    let restart: Promise<void> | undefined;
    const ended = holdfast.waitFor(job.id, {
      onProgress: () => {
        restart ??= (async () => {
          await fixture.api.stop();
          await fixture.complete(job);
          await fixture.api.start();
        })();
      },
    });
    expect(await ended).toMatchObject({ id: job.id, status: 'completed' });
    await restart;
  });

  test('are not waited for longer than one wants to', async () => {
    const holdfast = await fixture.client();
    const job = await holdfast.jobs.create(crawl);
    expect(await failure(holdfast.waitFor(job, { timeoutMs: 300 }))).toBeInstanceOf(HoldfastTimeoutError);
    const leaving = new AbortController();
    const waiting = failure(holdfast.waitFor(job, { signal: leaving.signal }));
    leaving.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    const missing = holdfast.waitFor('01a1e1d5-de60-7d19-800b-34c5346a372f');
    expect(await failure(missing)).toMatchObject({ code: 'job_not_found', status: 404 });
  });
});

describe('a refusal', () => {
  test('says what it is, what to do, and which request it was', async () => {
    const holdfast = await fixture.client();
    const error = await failure(holdfast.jobs.create({ ...crawl, priority: 1e6 }));
    expect(error).toBeInstanceOf(HoldfastApiError);
    expect(error).toMatchObject({
      code: 'bad_request',
      status: 400,
      hint: expect.stringMatching(/\w/),
      details: [{ field: 'priority', message: expect.any(String) }],
      requestId: expect.stringMatching(/\w{8}/),
    });
    expect(line.to(/jobs/)).toHaveLength(1);
    const stranger = await fixture.client({ apiKey: 'hf_wrong' });
    expect(await failure(stranger.jobs.list().firstPage())).toMatchObject({
      code: 'key_invalid',
      status: 401,
    });
  });

  test('of something else than the API is told apart', async () => {
    const holdfast = await fixture.client();
    line.next(/./, { status: 404, body: '<html>nothing here</html>' });
    expect(await failure(holdfast.keys.list().firstPage())).toMatchObject({ code: 'http_404', status: 404 });
  });

  test('does not hide behind an id that leads elsewhere', async () => {
    const holdfast = await fixture.client();
    for (const id of ['', '.', '..']) expect(await failure(holdfast.jobs.get(id))).toBeInstanceOf(TypeError);
    expect(await failure(holdfast.jobs.get('a/../../keys?x#y'))).toMatchObject({ code: 'bad_request' });
    expect(line.seen.map(({ path }) => path)).toEqual(['/api/v1/jobs/a%2F..%2F..%2Fkeys%3Fx%23y']);
  });
});

describe('a request that fails for a passing reason', () => {
  test('is repeated when Retry-After says so, and not before', async () => {
    const holdfast = await fixture.client();
    line.next(
      /jobs/,
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 503, headers: { 'retry-after': '1' } },
    );
    const { data } = await holdfast.jobs.list().firstPage();
    expect(data).toEqual([]);
    const times = line.to(/jobs/).map(({ at }) => at);
    expect(times).toHaveLength(3);
    for (const [n, at] of times.slice(1).entries()) expect(at - (times[n] ?? 0)).toBeGreaterThan(990);
  });

  test('is given up when Retry-After is too far away, and says how far', async () => {
    const holdfast = await fixture.client();
    line.next(/jobs/, { status: 429, headers: { 'retry-after': '3600' } });
    expect(await failure(holdfast.jobs.list().firstPage())).toMatchObject({
      status: 429,
      retryAfterMs: 3_600_000,
    });
    line.next(/jobs/, {
      status: 503,
      headers: { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() },
    });
    expect(await failure(holdfast.jobs.list().firstPage())).toMatchObject({ status: 503, code: 'http_503' });
    expect(line.to(/jobs/)).toHaveLength(2);
  });

  test('is repeated as often as one wants, and then fails', async () => {
    const holdfast = await fixture.client({ retries: 2 });
    line.next(/jobs/, 'lose request', 'lose answer', 'lose request');
    expect(await failure(holdfast.jobs.list().firstPage())).toBeInstanceOf(HoldfastConnectionError);
    expect(line.to(/jobs/)).toHaveLength(3);
  });

  test('and would make a job makes one, however often its answer is lost', async () => {
    const holdfast = await fixture.client();
    line.next(/jobs/, 'lose answer', 'lose answer', 'lose request');
    const job = await holdfast.jobs.create(crawl);
    expect(job.outcome).toBe('repeated');
    expect(await jobCount()).toBe(1);
    // The request that a test before gave up on may arrive only now; it was a GET.
    const posts = line.to(/jobs/).filter(({ method }) => method === 'POST');
    const keys = posts.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);

    line.next(/bulk-create/, 'lose answer');
    const many = await holdfast.jobs.createMany([crawl, crawl, crawl]);
    expect(many.map(({ outcome }) => outcome)).toEqual(['repeated', 'repeated', 'repeated']);
    expect(await jobCount()).toBe(4);
    const again = await holdfast.jobs.create(crawl, { idempotencyKey: keys[0] as string });
    expect(again.id).toBe(job.id);
  });

  test('is not repeated if it could have its effect twice', async () => {
    const holdfast = await fixture.client({ apiKey: await fixture.api.key({ scopes: ['admin'] }) });
    line.next(/keys/, 'lose answer', 'lose answer');
    const request = { name: 'once', scopes: ['jobs:read' as const] };
    expect(await failure(holdfast.keys.create(request))).toBeInstanceOf(HoldfastConnectionError);
    expect(line.to(/keys/)).toHaveLength(1);
    line.mend();
    line.next(/keys/, { status: 429, headers: { 'retry-after': '0' } });
    expect(await holdfast.keys.create(request)).toMatchObject({ secret: expect.stringMatching(/^hf_/) });
  });

  test('and would stop a job is content to find it stopped', async () => {
    const holdfast = await fixture.client();
    const job = await holdfast.jobs.create(crawl);
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'pending'],
      ['cancel', 'cancelled'],
    ] as const) {
      line.next(new RegExp(`/${action}$`), 'lose answer');
      expect(await holdfast.jobs[action](job.id)).toMatchObject({ id: job.id, status });
    }
    expect(await holdfast.jobs.cancel(job.id)).toMatchObject({ id: job.id, status: 'cancelled' });
    expect(await failure(holdfast.jobs.pause(job.id))).toMatchObject({ code: 'action_not_allowed' });
  });

  test('is not repeated once it is aborted', async () => {
    const holdfast = await fixture.client();
    const leaving = new AbortController();
    line.next(/jobs/, { status: 503, headers: { 'retry-after': '30' } });
    const listed = failure(holdfast.jobs.list({}, { signal: leaving.signal }).firstPage());
    await expect.poll(() => line.seen.length, { timeout: 20_000 }).toBe(1);
    leaving.abort(new Error('enough'));
    expect(await listed).toMatchObject({ message: 'enough' });
    expect(line.seen).toHaveLength(1);
    const gone = failure(holdfast.jobs.list({}, { signal: leaving.signal }).firstPage());
    expect(await gone).toMatchObject({ message: 'enough' });
    expect(line.seen).toHaveLength(1);
  });
});
