import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { changeDialectViews } from '../../packages/server/src/base/database/migrate.ts';
import { findViolations } from '../../packages/server/src/ops/doctor/check-invariants.ts';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { listEvents } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { recoverJobs } from '../../packages/server/src/queue/jobs/recover-jobs.ts';
import { addIntake, addSource } from '../../packages/server/src/shop/collect/testing/collect-fixture.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { readPage } from '../docs/markdown-files.ts';
import { statement, statements } from './sql-statements.ts';

const page = readPage('docs/source-documents.md');
const blocks = [...page.matchAll(/^```sql\n([\s\S]*?)\n```$/gm)].map(([, text = '']) => text);

let database: TestDatabase;
let client: pg.Client;

/** A session as a person opens one, after `holdfast migrate --dialect-views`. */
beforeEach(async () => {
  database = await createTestDatabase();
  await changeDialectViews(database.pool, true);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

test('the page lists every statement that the documents print, as the tests run it', () => {
  expect([...statements.keys()]).toHaveLength(15);
  const missing = [...statements].filter(([, text]) => !blocks.includes(text)).map(([name]) => name);
  expect(missing).toEqual([]);
});

const run = async (name: string, values?: unknown[]) =>
  (await client.query(statement(name).replaceAll(':my_worker_id', '$1'), values)).rows;
const crawl = (priority = 0) =>
  enqueueJob(database.pool, { kind: 'crawl', payload: { url: 'https://example.com/' }, priority });

describe('document 000', () => {
  test('adds a column that is there already', async () => {
    const notices: string[] = [];
    client.on('notice', ({ message }) => notices.push(message ?? ''));
    await run('000.1');
    expect(notices).toEqual([expect.stringContaining('already exists')]);
  });

  test('finds stale jobs, and sums up what is pending', async () => {
    const { job } = await crawl();
    await crawl();
    await claimJobs(database.pool, {
      lanes: [{ kind: 'crawl', executor: 'builtin', leaseSeconds: 600 }],
      limit: 1,
      workerId: 'w',
    });
    await client.query('INSERT INTO crawl_states (job_id, total_pending) SELECT id, 7 FROM crawl_jobs');
    expect(await run('000.2')).toEqual([]);
    await client.query(
      `UPDATE crawl_jobs SET last_heartbeat = now() - interval '3 minutes' WHERE status = 'processing'`,
    );
    expect(await run('000.2')).toMatchObject([{ id: job.id, worker_id: 'w' }]);
    expect(await run('000.3')).toEqual([{ sum: '7' }]);
  });
});

/** Ids are uuids in one place and texts in the other; a list in JSON is a table of rows. */
const sorts: Record<string, RegExp> = {
  text: /^(uuid|text|character varying|jsonb|(\w+\.)?job_status)$/,
  number: /^(integer|smallint|bigint|numeric)$/,
  time: /^timestamp/,
  boolean: /^boolean$/,
};
const sortOf = (type = 'none') => Object.keys(sorts).find((sort) => sorts[sort]?.test(type)) ?? type;

/** What a document calls otherwise than by a column of the same table. */
const elsewhere: Record<string, string> = {
  'crawl_states.frontier': 'crawl_frontier.url',
  'crawl_states.visited_urls': 'crawl_visited.url_hash',
};

describe('the tables of documents 001, 002 and 004', () => {
  test('are made as printed in a schema of their own, and each column is one of ours', async () => {
    await client.query('CREATE SCHEMA scratch; SET search_path = scratch, dialect');
    for (const name of ['001.1', '002.1', '002.2', '004.1']) await run(name);
    // It can be used: the ids come from the views' schema.
    await client.query(`INSERT INTO crawl_jobs (payload) VALUES ('{}')`);
    await client.query('RESET search_path');
    const { rows } = await client.query<{ schema: string; name: string; type: string }>(
      `SELECT nspname AS schema, relname || '.' || attname AS name, format_type(atttypid, NULL) AS type
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname IN ('public', 'dialect', 'scratch') AND relkind IN ('r', 'v') AND attnum > 0`,
    );
    const printed = rows.filter(({ schema }) => schema === 'scratch');
    expect(printed.length).toBeGreaterThan(35);
    for (const { name, type } of printed) {
      const ours = rows.find(
        (column) => column.schema !== 'scratch' && column.name === (elsewhere[name] ?? name),
      );
      expect([name, sortOf(ours?.type), ours?.type]).toEqual([name, sortOf(type), ours?.type]);
    }
  });

  test('have statuses that ours have as well', async () => {
    await client.query('CREATE SCHEMA scratch; SET search_path = scratch, dialect');
    await run('001.1');
    const { rows } = await client.query(
      `SELECT value FROM unnest(enum_range(NULL::scratch.job_status)::text[]) AS value
       WHERE value <> ALL (enum_range(NULL::public.job_status)::text[])`,
    );
    expect(rows).toEqual([]);
  });

  test('have the keys that ours have', async () => {
    const { rows } = await client.query(
      `SELECT conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) AS key FROM pg_constraint WHERE contype IN ('p', 'u')`,
    );
    const keys = rows.map(({ key }) => key);
    expect(keys).toContain('price_points UNIQUE (intake_id, source_id, dedupe_key)');
    expect(keys).toContain('valuations PRIMARY KEY (intake_id)');
    expect(keys).toContain('crawl_visited PRIMARY KEY (job_id, url_hash)');
    expect(keys).toContain('crawl_states PRIMARY KEY (job_id)');
  });
});

describe('document 001', () => {
  test('claims one job after the other, by priority and age', async () => {
    const low = await crawl();
    const high = await crawl(5);
    expect(await run('001.2', ['worker-1'])).toMatchObject([{ id: high.job.id, worker_id: 'worker-1' }]);
    expect(await run('001.2', ['worker-2'])).toMatchObject([{ id: low.job.id, worker_id: 'worker-2' }]);
    expect(await run('001.2', ['worker-1'])).toEqual([]);
    expect(await findViolations(database.pool, [low.job.id, high.job.id], 0)).toEqual([]);
  });
});

test('document 002 reads the jobs', async () => {
  const { job } = await crawl();
  await run('001.2', ['worker-1']);
  expect(await run('002.3')).toMatchObject([{ id: job.id }]);
});

/** What the page prints of our own: in its order. */
const ownBlocks = blocks.slice(0, blocks.indexOf(statement('000.1')));

describe('what the page adds', () => {
  const [insert = '', remove = '', claim = '', renew = '', complete = '', giveBack = ''] = ownBlocks;
  const own = async (text: string, values: Record<string, unknown> = {}) => {
    const names = Object.keys(values).filter((name) => new RegExp(`:${name}\\b`).test(text));
    const numbered = names.reduce(
      (changed, name, at) => changed.replaceAll(new RegExp(`:${name}\\b`, 'g'), `$${at + 1}`),
      text,
    );
    return (
      await client.query(
        numbered,
        names.map((name) => values[name]),
      )
    ).rows;
  };

  test('adds, claims, renews, and completes or gives back a job, with nothing for doctor to find', async () => {
    expect(ownBlocks).toHaveLength(6);
    await own(insert);
    const my_worker_id = 'worker-1';
    const [first] = await own(claim, { my_worker_id });
    expect(first).toMatchObject({ status: 'processing', priority: 5, worker_id: my_worker_id });
    const held = { my_worker_id, id: first.id, fence: first.fence };
    expect(await own(giveBack, held)).toEqual([{ job_id: first.id }]);
    expect(await own(renew, held)).toEqual([]);
    const [again] = await own(claim, { my_worker_id });
    const holds = { ...held, fence: again.fence };
    expect(await own(complete, held)).toEqual([]);
    expect(await own(renew, holds)).toEqual([{ requested_action: null }]);
    expect(await own(complete, holds)).toEqual([{ job_id: first.id }]);
    expect(await own(claim, { my_worker_id })).toEqual([]);
    const { rows } = await client.query('SELECT id, status, retry_count FROM crawl_jobs');
    expect(rows).toEqual([{ id: first.id, status: 'completed', retry_count: 0 }]);
    expect((await listEvents(database.pool, first.id)).map(({ transition }) => transition)).toEqual([
      'enqueue',
      'claim',
      'release',
      'claim',
      'complete',
    ]);
    expect(await findViolations(database.pool, [first.id], 0)).toEqual([]);
    await own(remove.replace(/'.*'/, `'${first.id}'`));
    expect((await client.query('SELECT FROM crawl_jobs')).rowCount).toBe(0);
    expect((await client.query('SELECT FROM job_events')).rowCount).toBe(0);
  });

  test('cancels a claimed job that was asked to stop, when its lease ends', async () => {
    await own(insert);
    const [job] = await own(claim, { my_worker_id: 'worker-1' });
    await client.query(`UPDATE crawl_jobs SET requested_action = 'cancel'`);
    expect(await own(renew, job)).toEqual([{ requested_action: 'cancel' }]);
    await client.query('UPDATE crawl_jobs SET lease_expires_at = now()');
    expect(await recoverJobs(database.pool, 'watchdog:w')).toMatchObject([
      { id: job.id, status: 'cancelled' },
    ]);
  });
});

describe('document 003', { timeout: 180_000 }, () => {
  let shop: LocalSite;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    const items = [1, 2, 3, 3].map((n) => ({ id: n, price: `1${n}.10`, currency: 'USD', title: 'coin' }));
    shop = await startSite((_, response) => response.end(JSON.stringify({ items })));
  });
  afterAll(() => shop.close());
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
  });

  const askable = async (id = 'shop') => {
    const fields = { price: 'price', currency: 'currency', title: 'title', external_id: 'id' };
    const config = { url: `${shop.origin}/?q={title}`, items: 'items', fields };
    await addSource(database, id, { adapter_type: 'json', config });
  };
  const sql = async (name: string, ...options: string[]) => {
    const answer = await runHoldfast(['sql', ...options, statement(name)], { DATABASE_URL: database.url });
    expect(answer).toMatchObject({ exit: 0, stderr: '' });
    return answer.stdout
      .trim()
      .split('\n')
      .map((line) => (line.startsWith('[') ? JSON.parse(line) : line));
  };

  test('its concurrency test runs as printed, by way of `holdfast sql`: 20 jobs, two workers, each job once', async () => {
    await addIntake(database, { title: 'coin' });
    await askable();
    expect(await sql('003.1', '--write')).toEqual(['INSERT 20']);
    for (const WORKER_ID of ['worker-1', 'worker-2'])
      workers.push(
        new WorkerProcess(database.url, {
          WORKER_ID,
          HOLDFAST_ALLOW_PRIVATE: shop.origin,
          MAX_CONCURRENT_VISITS: '2',
        }),
      );
    await vi.waitUntil(
      async () => {
        const { rows } = await client.query(
          `SELECT count(*)::int AS left FROM scrape_jobs WHERE status <> 'succeeded'`,
        );
        return rows[0].left === 0;
      },
      { timeout: 120_000, interval: 100 },
    );
    const [processed, duplicates] = await sql('003.2', '--json');
    expect(processed.map(({ status }: { status: string }) => status)).toEqual(
      processed.map(() => 'succeeded'),
    );
    expect(processed.every(({ locked_by }: { locked_by: string }) => /^worker-[12]$/.test(locked_by))).toBe(
      true,
    );
    expect(processed.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(20);
    expect(duplicates).toEqual([]);
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM job_events WHERE transition = 'claim') AS claims, (SELECT count(*)::int FROM price_points) AS points`,
    );
    expect(rows).toEqual([{ claims: 20, points: 3 }]);
    const [recent] = await sql('003.4', '--json');
    expect(recent).toHaveLength(20);
    expect(recent[0]).toMatchObject({
      status: 'succeeded',
      locked_by: expect.any(String),
      error_message: null,
    });
    const [sources] = await sql('003.5', '--json');
    expect(sources).toContainEqual(
      expect.objectContaining({ name: 'shop', enabled: true, failure_streak: 0, paused_until: null }),
    );
  });

  test('its queries find the jobs of a dead worker', async () => {
    await addIntake(database, { title: 'coin' });
    await askable();
    await run('003.1');
    const { rows } = await client.query(`SELECT id FROM claim_next_pending_job('worker-1')`);
    expect([await run('003.3'), await run('003.6')]).toEqual([[], []]);
    await client.query(
      `UPDATE crawl_jobs SET last_heartbeat = now() - interval '6 minutes' WHERE status = 'processing'`,
    );
    for (const name of ['003.3', '003.6'])
      expect(await run(name)).toMatchObject([
        { id: rows[0].id, status: 'running', locked_by: 'worker-1', time_since_heartbeat: { minutes: 6 } },
      ]);
    const answers = (await client.query(statement('003.2'))) as unknown as pg.QueryResult[];
    expect(answers.map((answer) => answer.rows)).toEqual([
      [{ status: 'running', locked_by: 'worker-1', count: '1' }],
      [],
    ]);
  });

  test('its jobs are collections like any other, and say at once what is missing for them', async () => {
    await expect(run('003.1')).rejects.toMatchObject({
      message: 'there is no intake yet',
      hint: expect.stringContaining('intakes create'),
    });
    const intake = await addIntake(database, { title: 'coin' });
    await client.query(`UPDATE intakes SET user_id = 'alice'`);
    await expect(run('003.1')).rejects.toMatchObject({ message: 'there is no source yet' });
    await client.query(`INSERT INTO sources (id, name) VALUES ('host:example.com', 'example.com')`);
    await expect(run('003.1')).rejects.toMatchObject({
      message: 'source host:example.com cannot be asked for prices',
      hint: expect.stringContaining('adapter_type'),
    });
    await askable();
    await client.query(
      statement('003.1').replace(
        'enabled = true',
        `enabled = true AND adapter_type IN ('json', 'html', 'module')`,
      ),
    );
    const { rows } = await client.query(
      `SELECT kind, status, source_id, intake_id, user_id, dedupe_key, payload, count(*)::int AS jobs FROM crawl_jobs GROUP BY 1, 2, 3, 4, 5, 6, 7`,
    );
    expect(rows).toEqual([
      {
        kind: 'collect',
        status: 'pending',
        source_id: 'shop',
        intake_id: intake,
        user_id: 'alice',
        dedupe_key: null,
        payload: { intake_id: intake, title: 'coin' },
        jobs: 20,
      },
    ]);
    await expect(
      client.query(`INSERT INTO scrape_jobs (intake_id, source_id, status) VALUES ($1, 'shop', 'running')`, [
        intake,
      ]),
    ).rejects.toMatchObject({ message: 'a new job is pending, not running' });
    const { rows: made } = await client.query(
      `INSERT INTO scrape_jobs (intake_id, source_id) VALUES ($1, 'shop') RETURNING id, status`,
      [intake],
    );
    expect(made).toMatchObject([{ status: 'pending' }]);
    expect((await listEvents(database.pool, made[0].id)).map(({ transition }) => transition)).toEqual([
      'enqueue',
    ]);
  });
});
