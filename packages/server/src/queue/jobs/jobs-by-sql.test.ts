import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  actor,
  collectLane,
  crawl,
  crawlLane,
  QueueFixture,
} from '../../../../../test/queue-fixture/queue-fixture.ts';
import { findViolations } from '../../ops/doctor/check-invariants.ts';
import { claimJobs } from './claim-jobs.ts';
import { completeJobs } from './complete-jobs.ts';
import { enqueueJobs } from './enqueue-jobs.ts';
import { listEvents, listJobs, showJob } from './find-jobs.ts';
import type { Lane } from './lane.ts';
import { Listener } from './notifications.ts';
import { recoverJobs } from './recover-jobs.ts';
import { renewLeases } from './renew-leases.ts';

const queue = new QueueFixture();
const visitLane: Lane = { kind: 'visit', executor: 'builtin', leaseSeconds: 120 };
const lanes = [crawlLane, visitLane, collectLane];

const insert = `INSERT INTO crawl_jobs (payload, priority) VALUES ('{"url": "https://example.com/"}', 5) RETURNING id`;
const only = async (text: string, values: unknown[] = []) =>
  (await queue.pool.query<{ id: string }>(text, values)).rows[0]?.id ?? '';
const violations = async () => {
  const ids = (await listJobs(queue.pool, { limit: 1000 })).map(({ id }) => id);
  return (await findViolations(queue.pool, ids, 0)).map(({ found, invariant }) => [invariant.number, found]);
};

describe('a job that is inserted by SQL', () => {
  test('is a crawl of the local owner, with its first event, and is claimed and completed as any other', async () => {
    const id = await only(insert);
    expect(await showJob(queue.pool, id)).toMatchObject({
      kind: 'crawl',
      executor: 'builtin',
      status: 'pending',
      priority: 5,
      user_id: 'local',
      max_retries: 3,
    });
    const job = await queue.claimOne();
    expect(job).toMatchObject({ id, payload: { url: 'https://example.com/' } });
    await completeJobs(queue.pool, [job], actor);
    expect(await listEvents(queue.pool, id)).toMatchObject([
      { event_no: 1, transition: 'enqueue', actor: expect.stringMatching(/^user:/), reason: 'by SQL' },
      { event_no: 2, transition: 'claim' },
      { event_no: 3, transition: 'complete' },
    ]);
    expect(await violations()).toEqual([]);
  });

  test('wakes the workers', async () => {
    const { default: log } = await import('pino').then(({ pino }) => ({
      default: pino({ level: 'silent' }),
    }));
    const listener = new Listener({ url: queue.url }, log);
    await listener.start();
    const woken = new Promise<void>((resolve) => listener.on('work', resolve));
    await queue.pool.query(insert);
    await woken;
    await listener.stop();
  });

  test('is found by bots for the host of its page, and by its intake', async () => {
    const intake = '0190a8b0-1111-7222-8333-444455556666';
    await queue.pool.query(
      `INSERT INTO crawl_jobs (kind, executor, payload) VALUES
         ('visit', 'bot', '{"url": "https://user@Shop.Example.:8080/item"}'),
         ('visit', 'builtin', '{"url": "https://shop.example/item"}'),
         ('collect', 'builtin', $1), ('collect', 'builtin', '{"intake_id": "none"}')`,
      [{ intake_id: intake }],
    );
    const { rows } = await queue.pool.query('SELECT host, intake_id FROM crawl_jobs ORDER BY id');
    expect(rows).toEqual([
      { host: 'shop.example:8080', intake_id: null },
      { host: null, intake_id: null },
      { host: null, intake_id: intake },
      { host: null, intake_id: null },
    ]);
  });

  test.each(['null', '[]', '"https://example.com/"', '5'])(
    'is refused with a payload that is no object: %s',
    async (payload) => {
      await expect(
        queue.pool.query('INSERT INTO crawl_jobs (payload) VALUES ($1)', [payload]),
      ).rejects.toMatchObject({
        code: '23514',
        message: expect.stringContaining('must be a JSON object'),
        hint: expect.stringContaining('{"url"'),
      });
    },
  );

  test('has one first event when a process of the version before inserts it with the event', async () => {
    const id = await only(
      `WITH created AS (
         INSERT INTO crawl_jobs (kind, payload) VALUES ('crawl', '{}') RETURNING id, event_count, status, fence
       ), event AS (
         INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor)
         SELECT id, event_count, 'enqueue', status, fence, 'user:old' FROM created
       ) SELECT id FROM created`,
    );
    expect(await listEvents(queue.pool, id)).toMatchObject([{ event_no: 1, actor: 'user:old' }]);
    expect(await violations()).toEqual([]);
  });
});

test('statements of ours that make jobs record the first event themselves, and say so', () => {
  const source = fileURLToPath(new URL('../..', import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!test)\.ts$/.test(name),
  );
  const making = files.flatMap((name) =>
    [...readFileSync(join(source, name), 'utf8').matchAll(/INSERT INTO crawl_jobs \(([^)]*)\)/g)].map(
      ([, columns = '']) => ({
        name,
        columns: columns.split(/,\s*/),
      }),
    ),
  );
  // The views of the documents make them by plain SQL.
  const ours = making.filter(({ name }) => !name.includes('dialect-views'));
  expect(ours.length).toBeGreaterThan(2);
  expect(ours.filter(({ columns }) => !columns.includes('event_count'))).toEqual([]);
});

/** Jobs of every sort, made from a seed. */
async function fill(count: number, seed: number): Promise<void> {
  let state = seed;
  const random = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const kinds = ['crawl', 'visit', 'collect'] as const;
  const requests = Array.from({ length: count }, (): JobRequest => {
    const kind = kinds[random(3)] ?? 'crawl';
    const payload = kind === 'collect' ? { query: {} } : { url: 'https://example.com/' };
    const isBots = kind === 'visit' && random(4) === 0;
    return { kind, payload, priority: random(4) - 1, ...(isBots && { executor: 'bot' }) } as JobRequest;
  });
  await enqueueJobs(queue.pool, requests);
  await queue.pool.query(
    `UPDATE crawl_jobs job SET
       created_at = created_at - make_interval(secs => place * 7919 % 101),
       run_at = CASE place % 7 WHEN 1 THEN now() - make_interval(secs => place) WHEN 2 THEN now() + interval '1 h' END,
       waits_for = CASE WHEN place % 11 = 0 THEN '{http://10.0.0.1}'::text[] END,
       status = CASE place % 5 WHEN 3 THEN 'retryable' WHEN 4 THEN 'paused' ELSE 'pending' END::job_status,
       next_retry_at = CASE WHEN place % 5 = 3 THEN now() + (place % 3 - 1.5) * interval '1 minute' END
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM crawl_jobs) numbered WHERE numbered.id = job.id`,
  );
}

const claimNext = `SELECT id FROM claim_next_pending_job('sql-1')`;

describe('claim_next_pending_job', () => {
  test.each([1, 2, 3, 4, 5])('claims in the order of the claim loop (seed %i)', async (seed) => {
    await fill(60, seed);
    const client = await queue.pool.connect();
    const drained = async (next: () => Promise<string | undefined>) => {
      await client.query('BEGIN');
      const order: string[] = [];
      for (let id = await next(); id; id = await next()) order.push(id);
      await client.query('ROLLBACK');
      return order;
    };
    const byLoop = await drained(
      async () => (await claimJobs(client, { lanes, limit: 1, workerId: 'w' }))[0]?.id,
    );
    const byFunction = await drained(async () => (await client.query(claimNext)).rows[0]?.id);
    client.release();
    expect(byLoop.length).toBeGreaterThan(15);
    expect(byFunction).toEqual(byLoop);
  });

  test('gives a lease under a new fence, which is renewed and completed as any other', async () => {
    await queue.enqueueOne();
    const { rows } = await queue.pool.query(
      `SELECT *, lease_expires_at - now() AS lease FROM claim_next_pending_job('sql-1')`,
    );
    const [job] = rows;
    expect(job).toMatchObject({ status: 'processing', worker_id: 'sql-1', fence: 1, lease: { minutes: 2 } });
    expect((await renewLeases(queue.pool, [job])).get(job)).toBe('continue');
    expect((await completeJobs(queue.pool, [job], 'supervisor:sql-1')).get(job)).toBe('completed');
    expect(
      (await listEvents(queue.pool, job.id)).map(({ transition, actor }) => [transition, actor]),
    ).toEqual([
      ['enqueue', 'user:local'],
      ['claim', 'supervisor:sql-1'],
      ['complete', 'supervisor:sql-1'],
    ]);
    expect(await violations()).toEqual([]);
  });

  test('takes only the kinds that it is asked for, for as long as it is told to, and nothing from an empty queue', async () => {
    await queue.enqueueOne();
    const collect = `SELECT kind, lease_expires_at - now() AS lease
      FROM claim_next_pending_job('sql-1', kinds => '{collect}', lease => $1::interval)`;
    expect((await queue.pool.query(collect, [null])).rows).toEqual([]);
    await enqueueJobs(
      queue.pool,
      [1, 2].map(() => ({ kind: 'collect', payload: { query: {} } })),
    );
    expect((await queue.pool.query(collect, [null])).rows).toMatchObject([{ lease: { minutes: 5 } }]);
    expect((await queue.pool.query(collect, ['90 s'])).rows).toMatchObject([
      { kind: 'collect', lease: { minutes: 1, seconds: 30 } },
    ]);
  });

  test('passes over what another transaction is claiming', async () => {
    const [first, second] = await Promise.all([queue.pool.connect(), queue.pool.connect()]);
    await enqueueJobs(queue.pool, [crawl(), crawl()]);
    await first.query('BEGIN');
    const one = await first.query(claimNext);
    const other = await second.query(claimNext);
    await first.query('COMMIT');
    expect(new Set([one, other].map(({ rows }) => rows[0]?.id)).size).toBe(2);
    expect((await second.query(claimNext)).rows).toEqual([]);
    first.release();
    second.release();
  });

  test('loses the job to the watchdog when the lease is not renewed', async () => {
    const { id } = await queue.enqueueOne();
    const { rows } = await queue.pool.query(`SELECT * FROM claim_next_pending_job('sql-1')`);
    await queue.passSeconds(121);
    expect(await recoverJobs(queue.pool, 'watchdog:w2')).toMatchObject([
      { id, prior_worker: 'sql-1', retry_count: 1 },
    ]);
    expect((await completeJobs(queue.pool, [rows[0]], 'supervisor:sql-1')).get(rows[0])).toBe('lost');
  });
});

/** As document 001 prints it. */
const claimByUpdate = (db: Pick<pg.Pool, 'query'>) =>
  db.query(
    `UPDATE crawl_jobs
     SET status = 'processing',
         worker_id = $1,
         started_at = NOW(),
         last_heartbeat = NOW()
     WHERE id = (
         SELECT id
         FROM crawl_jobs
         WHERE status = 'pending'
         ORDER BY priority DESC, created_at ASC
         FOR UPDATE SKIP LOCKED
         LIMIT 1
     )
     RETURNING *`,
    ['python-1'],
  );

const heartbeatsAge = (seconds: number) =>
  queue.pool.query('UPDATE crawl_jobs SET last_heartbeat = now() - make_interval(secs => $1)', [seconds]);

describe('a claim by a plain UPDATE', () => {
  test('is in the timeline under a fence of its own, so that the holder before it writes nothing', async () => {
    const before = await queue.claimedOne();
    await queue.passSeconds(121);
    await recoverJobs(queue.pool, 'watchdog:w2');
    const { rows } = await claimByUpdate(queue.pool);
    expect(rows).toMatchObject([{ id: before.id, status: 'processing', worker_id: 'python-1' }]);
    expect((await completeJobs(queue.pool, [before], actor)).get(before)).toBe('lost');
    expect((await renewLeases(queue.pool, [before])).get(before)).toBe('lost');
    expect(await showJob(queue.pool, before.id)).toMatchObject({
      status: 'processing',
      fence: before.fence + 1,
    });
    expect((await listEvents(queue.pool, before.id)).at(-1)).toMatchObject({
      transition: 'claim',
      fence: before.fence + 1,
      actor: 'supervisor:python-1',
      reason: 'by SQL',
    });
    expect(await violations()).toEqual([]);
  });

  test('lasts two minutes from its last heartbeat; then the watchdog recovers the job', async () => {
    const { id } = await queue.enqueueOne();
    await claimByUpdate(queue.pool);
    await heartbeatsAge(119);
    expect(await recoverJobs(queue.pool, 'watchdog:w2')).toEqual([]);
    await heartbeatsAge(121);
    expect((await violations()).map(([number]) => number)).toEqual([4]);
    expect(await recoverJobs(queue.pool, 'watchdog:w2')).toMatchObject([
      { id, status: 'pending', prior_worker: 'python-1', retry_count: 1 },
    ]);
    expect(await queue.claimOne()).toMatchObject({ id });
    expect(await violations()).toEqual([]);
  });

  test('can be ended as the document has it', async () => {
    const { id } = await queue.enqueueOne();
    await claimByUpdate(queue.pool);
    await queue.pool.query(`UPDATE crawl_jobs SET status='completed', completed_at=NOW() WHERE id = $1`, [
      id,
    ]);
    expect(await showJob(queue.pool, id)).toMatchObject({ status: 'completed', worker_id: 'python-1' });
  });

  test('leaves a claim of ours its own lease and fence', async () => {
    const job = await queue.claimedOne();
    expect(await showJob(queue.pool, job.id)).toMatchObject({ fence: 1 });
    expect((await listEvents(queue.pool, job.id)).map(({ event_no }) => event_no)).toEqual([1, 2]);
  });
});
