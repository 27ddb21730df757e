import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { PoolClient } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ListeningApi } from '../../../../../test/api-fixture/listening-api.ts';
import { SseClient } from '../../../../../test/api-fixture/sse-client.ts';
import { crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { revokeKey } from '../../queue/access/keys.ts';
import { endSession, openSession } from '../../queue/access/sessions.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { enqueueJob, enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';

/*
 * A transaction open in any database of the server holds the stream back: that of another test that fills its tables, say.
 */
const patienceMs = 90_000;
vi.setConfig({ testTimeout: 240_000 });

const beatSeconds = 1;
const api = new ListeningApi({ HOLDFAST_STREAM_BEAT_SECONDS: `${beatSeconds}` });
const clients: SseClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.leave();
});

async function open(path: string, options: Parameters<typeof SseClient.open>[2] = {}): Promise<SseClient> {
  const client = await SseClient.open(api, path, options);
  clients.push(client);
  // The first line names the place from which a client that is cut off at once would go on.
  if (path.includes('/events'))
    await vi.waitUntil(() => client.lastEventId !== '', { timeout: patienceMs, interval: 5 });
  return client;
}

const request = (fields: object = {}) => ({
  kind: 'crawl' as const,
  payload: { url: 'https://example.com/' },
  user_id: 'alice',
  ...fields,
});

const newJob = async (db: Queryable = api.pool, fields: object = {}) =>
  (await enqueueJob(db, request(fields))).job;

async function run(jobId: string): Promise<void> {
  const [job] = await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  if (job?.id !== jobId) throw new Error('another job was claimed');
  await completeJobs(api.pool, [job], 'supervisor:w1');
}

/** `id/number` of every event a client has heard of, in its order. */
const heard = ({ messages }: SseClient) =>
  messages.filter(({ event }) => event === 'transition').map(({ data }) => `${data.job_id}/${data.event_no}`);

async function stored(): Promise<string[]> {
  const { rows } = await api.pool.query<{ name: string }>(
    `SELECT job_id || '/' || event_no AS name FROM job_events ORDER BY tx, job_id, event_no`,
  );
  return rows.map(({ name }) => name);
}

/** Until everything that happened so far is final, and so belongs to the past of a stream that starts now. */
async function settled(): Promise<void> {
  const sql = `SELECT FROM job_events HAVING max(tx) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
  await vi.waitUntil(async () => (await api.pool.query(sql)).rowCount, { interval: 20, timeout: patienceMs });
}

async function inTransaction(): Promise<PoolClient> {
  const client = await api.pool.connect();
  await client.query('BEGIN');
  return client;
}

async function commit(client: PoolClient, end = 'COMMIT'): Promise<void> {
  await client.query(end);
  client.release();
}

describe('the stream of all events', () => {
  test('tells what happens to jobs from now on, with the kind and the owner of each', async () => {
    const client = await open('/api/v1/events');
    expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(client.retryMs).toBe(2000);
    const job = await newJob();
    await actOnJob(api.pool, 'cancel', job.id, { actor: 'user:ann', reason: 'enough' });
    const ofJob = () => client.messages.map(({ data }) => data).filter(({ job_id }) => job_id === job.id);
    await client.until(() => ofJob().length === 2);
    expect(ofJob()).toMatchObject([
      {
        job_id: job.id,
        event_no: 1,
        transition: 'enqueue',
        from_status: null,
        to_status: 'pending',
        kind: 'crawl',
      },
      {
        job_id: job.id,
        event_no: 2,
        to_status: 'cancelled',
        actor: 'user:ann',
        reason: 'enough',
        user_id: 'alice',
      },
    ]);
    expect(client.messages[0]?.data).not.toHaveProperty('tx');
  });

  test('misses nothing and repeats nothing, in whatever order transactions commit, across a restart of the API', async () => {
    await api.pool.query('TRUNCATE crawl_jobs, job_events');
    const first = await open('/api/v1/events');
    // Numbered before the others, committed after them: whoever follows the numbers alone would miss it.
    const early = await inTransaction();
    await newJob(early);
    const undone = await inTransaction();
    await newJob(undone);
    const writers = Promise.all(
      [1, 2, 3, 4].map(async () => {
        for (let n = 0; n < 25; n++) {
          const client = await inTransaction();
          await newJob(client);
          if (n % 3 === 0) await new Promise((resolve) => setTimeout(resolve, n));
          await newJob(client);
          await commit(client, n % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
        }
      }),
    );
    await writers;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // Nothing beyond the transaction that is still open is final.
    const { rows } = await early.query('SELECT pg_current_xact_id()::text::bigint AS tx');
    expect(first.messages.filter(({ id }) => Number(id.split('.')[0]) >= rows[0].tx)).toEqual([]);
    await api.stop();
    await first.done;
    const restarted = api.start();
    await commit(early);
    await restarted;
    const second = await open('/api/v1/events', { lastEventId: first.lastEventId });
    const more = await newJob();
    await commit(undone, 'ROLLBACK');
    await second.until((messages) => messages.some(({ data }) => data.job_id === more.id));
    await second.leave();
    const third = await open(`/api/v1/events?last_event_id=${second.lastEventId}`);
    const last = await newJob();
    await third.until((messages) => messages.some(({ data }) => data.job_id === last.id));
    const all = [first, second, third].flatMap(heard);
    expect(all).toHaveLength(1 + 4 * 20 * 2 + 2);
    expect(all).toEqual(await stored());
  });

  test('goes on from any message, however far back', async () => {
    await api.pool.query('TRUNCATE crawl_jobs, job_events');
    const client = await open('/api/v1/events');
    const start = client.lastEventId;
    for (let n = 0; n < 30; n++)
      await enqueueJobs(
        api.pool,
        Array.from({ length: 100 }, () => request()),
      );
    const all = await stored();
    expect(all).toHaveLength(3000);
    const replayed = await open('/api/v1/events', { lastEventId: start });
    await replayed.until(({ length }) => length === 3000);
    await client.until(({ length }) => length === 3000);
    expect(heard(replayed)).toEqual(all);
    expect(heard(client)).toEqual(all);
    const middle = await open('/api/v1/events', { lastEventId: client.messages[1233]?.id ?? '' });
    await middle.until(({ length }) => length === 3000 - 1234);
    expect(heard(middle)).toEqual(all.slice(1234));
  });

  test('is filtered by kind, status and job, and shows an owner nothing of others', async () => {
    const alice = await api.key();
    const bob = await api.key({ user_id: 'bob' });
    const visit = { kind: 'visit' as const };
    const aliceJob = await newJob();
    await settled();
    const streams = {
      all: await open('/api/v1/events'),
      alice: await open('/api/v1/events', { key: alice }),
      bob: await open('/api/v1/events', { key: bob }),
      ofBob: await open('/api/v1/events?user_id=bob'),
      visits: await open('/api/v1/events?kind=visit'),
      ended: await open('/api/v1/events?status=cancelled,completed'),
      job: await open(`/api/v1/events?job=${aliceJob.id}`, { key: alice }),
    };
    const bobVisit = await newJob(api.pool, { ...visit, user_id: 'bob' });
    const aliceVisit = await newJob(api.pool, visit);
    await actOnJob(api.pool, 'cancel', bobVisit.id);
    await actOnJob(api.pool, 'cancel', aliceJob.id);
    const [a, b, c, d] = [`${bobVisit.id}/1`, `${aliceVisit.id}/1`, `${bobVisit.id}/2`, `${aliceJob.id}/2`];
    await streams.all.until(({ length }) => length === 4);
    await vi.waitUntil(() => streams.job.messages.length === 1, { timeout: patienceMs });
    await vi.waitUntil(() => streams.alice.messages.length === 2, { timeout: patienceMs });
    await vi.waitUntil(() => streams.visits.messages.length === 3, { timeout: patienceMs });
    expect(
      Object.fromEntries(Object.entries(streams).map(([name, client]) => [name, heard(client)])),
    ).toEqual({
      all: [a, b, c, d],
      alice: [b, d],
      bob: [a, c],
      ofBob: [a, c],
      visits: [a, b, c],
      ended: [c, d],
      job: [d],
    });
    const replayed = await open('/api/v1/events?status=cancelled', {
      key: bob,
      lastEventId: streams.bob.messages[0]?.id ?? '',
    });
    await replayed.until(({ length }) => length === 1);
    expect(heard(replayed)).toEqual([c]);
  });

  test('refuses what it cannot understand, and others’ jobs', async () => {
    const bob = await api.key({ user_id: 'bob' });
    const job = await newJob();
    const status = async (path: string, key?: string | null) =>
      (await api.json(path, key === undefined ? {} : { key })).status;
    expect(await status('/api/v1/events?kind=walk')).toBe(400);
    expect(await status('/api/v1/events?status=odd')).toBe(400);
    expect(await status('/api/v1/events?job=17')).toBe(400);
    expect(await status('/api/v1/events?last_event_id=17')).toBe(400);
    expect(await status(`/api/v1/events?last_event_id=1.${randomUUID()}.9999999999`)).toBe(400);
    expect(await status('/api/v1/events?more=1')).toBe(400);
    expect(await status(`/api/v1/events?job=${job.id}`, bob)).toBe(404);
    expect(await status('/api/v1/events?user_id=alice', bob)).toBe(403);
    expect(await status('/api/v1/events', null)).toBe(401);
    expect(await status('/api/v1/events', await api.key({ scopes: ['bots'] }))).toBe(403);
    expect((await api.request('/api/v1/events', { method: 'HEAD' })).status).toBe(405);
  });

  test('starts anew when the id is of another database, and says so', async () => {
    const client = await open('/api/v1/events', { lastEventId: `900000000000.${randomUUID()}.1` });
    await client.until(({ length }) => length > 0);
    expect(client.messages[0]?.event).toBe('reset');
    const job = await newJob();
    await client.until((messages) => messages.some(({ data }) => data.job_id === job.id));
  });
});

describe('the stream of a job', () => {
  test('tells its events from the first on, and how far it is', async () => {
    await api.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states');
    const job = await newJob();
    const client = await open(`/api/v1/jobs/${job.id}/stream`);
    await client.until(({ length }) => length === 2);
    await run(job.id);
    await client.until((messages) => messages.at(-1)?.data.status === 'completed');
    expect(heard(client)).toEqual([1, 2, 3].map((n) => `${job.id}/${n}`));
    const progress = client.messages.filter(({ event }) => event === 'progress').map(({ data }) => data);
    expect(progress[0]).toMatchObject({ status: 'pending', progress_percentage: 0, done: 0, pending: 0 });
    expect(progress.at(-1)).toMatchObject({ status: 'completed', progress_percentage: 100 });
    await client.leave();
    const again = await open(`/api/v1/jobs/${job.id}/stream`, { lastEventId: client.lastEventId });
    await again.until(({ length }) => length === 1);
    expect(again.messages).toMatchObject([{ event: 'progress', id: '' }]);
  });

  test('tells of progress when something has moved, and not more than once a second', async () => {
    const job = await newJob();
    await claimJobs(api.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
    await api.pool.query(`INSERT INTO crawl_states (job_id, total_pending) VALUES ($1, 5)`, [job.id]);
    const client = await open(`/api/v1/jobs/${job.id}/stream`);
    const progress = () => client.messages.filter(({ event }) => event === 'progress');
    await client.until(() => progress().length === 1);
    const started = performance.now();
    for (let n = 1; n <= 100; n++) {
      await api.pool.query('UPDATE crawl_states SET total_processed = $2, fetched = $2 WHERE job_id = $1', [
        job.id,
        n,
      ]);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await client.until(() => progress().at(-1)?.data.done === 100);
    const seconds = (performance.now() - started) / 1000;
    expect(progress().length).toBeGreaterThan(2);
    expect(progress().length).toBeLessThanOrEqual(seconds + 2);
    const quiet = progress().length;
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(progress().length).toBe(quiet);
  });

  test('ends when the job is gone, and is not there for others', async () => {
    const job = await newJob();
    const client = await open(`/api/v1/jobs/${job.id}/stream`);
    await client.until(({ length }) => length === 2);
    const bob = await api.key({ user_id: 'bob' });
    const path = `/api/v1/jobs/${job.id}/stream`;
    expect((await api.json(path, { key: bob })).body.error.code).toBe('job_not_found');
    expect((await api.json(`${path}?last_event_id=-1`)).status).toBe(400);
    expect((await api.json(`${path}?last_event_id=x`)).status).toBe(400);
    expect((await api.json(`/api/v1/jobs/${randomUUID()}/stream`)).status).toBe(404);
    expect((await api.json('/api/v1/jobs/x/stream')).status).toBe(400);
    await api.pool.query('DELETE FROM crawl_jobs WHERE id = $1', [job.id]);
    await client.done;
  });
});

describe('every stream', () => {
  test('beats while nothing happens, and ends with its key or its session', async () => {
    const secret = await api.key({ name: 'to be revoked' });
    const { rows } = await api.pool.query(`SELECT id FROM api_keys WHERE name = 'to be revoked'`);
    const client = await open('/api/v1/events', { key: secret });
    const session = async () => {
      const { token } = await openSession(api.pool, rows[0].id, 1);
      const headers = { cookie: `holdfast_session=${token}` };
      return { token, client: await open('/api/v1/events', { key: null, headers }) };
    };
    const [ended, kept] = [await session(), await session()];
    const beats = client.comments.length;
    await endSession(api.pool, ended.token);
    await ended.client.done;
    await vi.waitUntil(() => client.comments.length > beats, { timeout: patienceMs });
    expect([client.hasEnded, kept.client.hasEnded]).toEqual([false, false]);
    await revokeKey(api.pool, rows[0].id);
    await Promise.all([client.done, kept.client.done]);
  });

  test('is cut off when its client does not read', async () => {
    const key = await api.key({ scopes: ['admin'] });
    const { hostname, port } = new URL(api.address);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const reader = await open('/api/v1/events');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const reason = 'x'.repeat(2_000);
    // More than all buffers between us and it hold.
    for (let n = 0; n < 10; n++) {
      await api.pool.query(
        `WITH job AS (
           INSERT INTO crawl_jobs (event_count, payload) SELECT 1, '{}' FROM generate_series(1, 1000) RETURNING id
         )
         INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason)
         SELECT id, 1, 'enqueue', 'pending', 0, 'user:test', $1 FROM job`,
        [reason],
      );
    }
    await reader.until(({ length }) => length >= 10_000);
    // It shows that it was cut off only when it reads again: until then nothing tells us so.
    await new Promise((resolve) => setTimeout(resolve, 3_000 * beatSeconds));
    socket.resume();
    await closed;
    // It goes on for those who read.
    const job = await newJob();
    await reader.until((messages) => messages.some(({ data }) => data.job_id === job.id));
  });
});
