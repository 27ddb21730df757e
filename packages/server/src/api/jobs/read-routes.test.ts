import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ListeningApi } from '../../../../../test/api-fixture/listening-api.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { pauseSource } from '../../governor/sources/change-source.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';

const api = new ListeningApi();
beforeEach(() =>
  api.pool.query(
    'TRUNCATE crawl_jobs, crawl_states, crawl_pages, crawl_frontier, crawl_hosts, job_events, sources CASCADE',
  ),
);

async function newJob(payload: object = {}): Promise<string> {
  const request = {
    kind: 'crawl' as const,
    payload: { url: 'https://example.com/', ...payload },
    user_id: 'alice',
  };
  return (await enqueueJob(api.pool, request)).job.id;
}

async function claimed(payload: object = {}): Promise<string> {
  const id = await newJob(payload);
  await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  return id;
}

describe('the timeline of a job', () => {
  test('is listed behind any event', async () => {
    const id = await newJob();
    for (const action of ['pause', 'resume', 'pause', 'resume'] as const)
      await actOnJob(api.pool, action, id);
    const first = await api.json(`/api/v1/jobs/${id}/events?limit=3`);
    expect(first.body.data.map(({ transition }: { transition: string }) => transition)).toEqual([
      'enqueue',
      'pause',
      'resume',
    ]);
    expect(first.body.next_cursor).toBe('3');
    const rest = await api.json(`/api/v1/jobs/${id}/events?limit=3&cursor=3`);
    expect(rest.body).toMatchObject({ data: [{ event_no: 4 }, { event_no: 5 }], next_cursor: null });
  });
});

describe('what is left of a crawl', () => {
  test('is told by host, the largest first, with how the host is treated', async () => {
    const id = await claimed();
    await api.pool.query('INSERT INTO crawl_states (job_id, total_pending) VALUES ($1, 17)', [id]);
    await api.pool.query(
      `INSERT INTO crawl_hosts (job_id, host, pending, done, low_seq)
       SELECT $1, host, pending, 3, 1 FROM unnest($2::text[], $3::int[]) AS host (host, pending)`,
      [
        id,
        ['slow.test', 'paused.test', 'broken.test', 'new.test', 'done.test', 'held.test'],
        [5, 4, 3, 2, 0, 1],
      ],
    );
    const later = new Date(Date.now() + 60_000);
    await api.pool.query(
      `INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, not_before)
       VALUES ($1, 'held.test', 1, gen_random_uuid(), 'https://held.test/', 0, $2)`,
      [id, later],
    );
    await configureSource(api.pool, 'slow', {
      hosts: ['*.test'],
      min_delay_ms: 1000,
      rate_limit_per_minute: 30,
    });
    await configureSource(api.pool, 'paused', { hosts: ['paused.test'] });
    await pauseSource(api.pool, 'paused');
    await configureSource(api.pool, 'broken', { hosts: ['broken.test'], concurrency: 2 });
    await api.pool.query(
      `UPDATE sources SET pause_reason = 'failures', paused_until = now() + interval '5 min' WHERE id = 'broken'`,
    );
    const { body } = await api.json(`/api/v1/jobs/${id}/frontier`);
    expect(body).toMatchObject({ total_pending: 17, hosts: 5, hosts_exact: true });
    expect(body.data).toMatchObject([
      {
        host: 'slow.test',
        pending: 5,
        done: 3,
        source_id: 'slow',
        rate_limit_per_minute: 30,
        breaker: 'closed',
      },
      { host: 'paused.test', paused: true, paused_until: null, next_ready_at: null, breaker: 'closed' },
      {
        host: 'broken.test',
        paused: true,
        breaker: 'open',
        concurrency: 2,
        paused_until: expect.any(String),
      },
      { host: 'new.test', source_id: 'slow' },
      { host: 'held.test', next_ready_at: later.toISOString() },
    ]);
    expect(body.data[0].delay_ms).toBeGreaterThan(2000);
    await api.pool.query(`UPDATE sources SET paused_until = now() - interval '1 s' WHERE id = 'broken'`);
    const two = await api.json(`/api/v1/jobs/${id}/frontier?limit=3`);
    expect(two.body).toMatchObject({ hosts: 5, data: [{}, {}, { breaker: 'half_open', paused: false }] });
    expect(two.body.data).toHaveLength(3);
  });

  test('takes hosts that nobody asked for yet as they would be treated, and makes no source', async () => {
    const id = await claimed();
    await api.pool.query(`INSERT INTO crawl_hosts (job_id, host, pending) VALUES ($1, 'a.test', 1)`, [id]);
    const { body } = await api.json(`/api/v1/jobs/${id}/frontier`);
    expect(body.data).toMatchObject([{ host: 'a.test', source_id: null, delay_ms: 0, concurrency: 8 }]);
    const { rows } = await api.pool.query('SELECT FROM sources');
    expect(rows).toHaveLength(0);
  });
});

describe('the progress of a job', () => {
  test('tells what is done and left, how fast it goes and when it may end', async () => {
    const id = await claimed({ max_pages: 130 });
    await api.pool.query(
      `INSERT INTO crawl_states (job_id, total_processed, total_pending, fetched, failed, next_page_no, current_url)
       VALUES ($1, 101, 1000, 100, 1, 102, 'https://example.com/x')`,
      [id],
    );
    await api.pool.query('UPDATE crawl_jobs SET progress_percentage = 77 WHERE id = $1', [id]);
    await api.pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url)
       SELECT $1, md5(n::text)::uuid, n, 'fetched', 0, 1, now() - make_interval(secs => (101 - n) * 0.5), 'https://example.com/'
       FROM generate_series(1, 101) AS n`,
      [id],
    );
    const { body } = await api.json(`/api/v1/jobs/${id}/progress`);
    expect(body).toMatchObject({
      status: 'processing',
      progress_percentage: 77,
      done: 101,
      pending: 1000,
      fetched: 100,
      failed: 1,
      current_url: 'https://example.com/x',
    });
    expect(body.pages_per_second).toBeCloseTo(2, 5);
    // Thirty pages are left to the limit, at two a second.
    const left = (new Date(body.estimated_end_at).getTime() - Date.now()) / 1000;
    expect(left).toBeGreaterThan(5);
    expect(left).toBeLessThan(15.5);
  });

  test('is told of a job that has not begun, and not told again to who knows it', async () => {
    const id = await newJob();
    const { body, headers } = await api.json(`/api/v1/jobs/${id}/progress`);
    expect(body).toMatchObject({ done: 0, pending: 0, pages_per_second: null, estimated_end_at: null });
    const etag = headers.get('etag') ?? '';
    const again = await api.json(`/api/v1/jobs/${id}/progress`, { headers: { 'if-none-match': etag } });
    expect([again.status, again.body]).toEqual([304, undefined]);
    await actOnJob(api.pool, 'pause', id);
    const moved = await api.json(`/api/v1/jobs/${id}/progress`, { headers: { 'if-none-match': etag } });
    expect([moved.status, moved.body.status]).toEqual([200, 'paused']);
  });

  test('stops when the crawl does', async () => {
    const id = await claimed();
    await api.pool.query(
      `INSERT INTO crawl_states (job_id, total_pending, next_page_no, updated_at)
       VALUES ($1, 10, 3, now() - interval '2 min')`,
      [id],
    );
    await api.pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url)
       SELECT $1, gen_random_uuid(), n, 'fetched', 0, 1, now() - make_interval(secs => 130 - n), 'https://example.com/'
       FROM generate_series(1, 2) AS n`,
      [id],
    );
    const { body } = await api.json(`/api/v1/jobs/${id}/progress`);
    expect(body).toMatchObject({ pages_per_second: 0, estimated_end_at: null });
  });
});

test.each(['events', 'frontier', 'progress'])(
  '%s of others are not there, and bad requests are refused',
  async (path) => {
    const id = await newJob();
    const bob = await api.key({ user_id: 'bob' });
    expect((await api.json(`/api/v1/jobs/${id}/${path}`, { key: bob })).body.error.code).toBe(
      'job_not_found',
    );
    expect((await api.json(`/api/v1/jobs/${id}/${path}`, { key: null })).status).toBe(401);
    expect((await api.json(`/api/v1/jobs/${randomUUID()}/${path}`)).status).toBe(404);
    expect((await api.json(`/api/v1/jobs/nonsense/${path}`)).status).toBe(400);
  },
);

test.each(['events?cursor=-1', 'events?cursor=x', 'events?limit=0', 'events?odd=1', 'frontier?limit=201'])(
  '%s is refused',
  async (path) => {
    const { status, body } = await api.json(`/api/v1/jobs/${await newJob()}/${path}`);
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
  },
);
