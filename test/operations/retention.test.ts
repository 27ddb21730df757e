import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { crawlTables } from '../../packages/server/src/base/database/crawl-tables.ts';
import type { Queryable } from '../../packages/server/src/base/database/statement.ts';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { prune } from '../../packages/server/src/worker/supervisor/prune.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { actor, crawl, crawlLane } from '../queue-fixture/queue-fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query(`TRUNCATE crawl_jobs, job_events, ${crawlTables.join(', ')}`));

/** A completed crawl that ended 31 days ago, with so many pages. Its id is as old. */
async function oldCrawl(pages: number): Promise<string> {
  const { pool } = database;
  await enqueueJob(pool, crawl());
  const jobs = await claimJobs(pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  await completeJobs(pool, jobs, actor);
  const young = jobs[0]?.id ?? '';
  const id = `00000000${young.slice(8)}`;
  await pool.query(`UPDATE job_events SET job_id = $2 WHERE job_id = $1`, [young, id]);
  await pool.query(`UPDATE crawl_jobs SET id = $2, completed_at = now() - interval '31 days' WHERE id = $1`, [
    young,
    id,
  ]);
  await pool.query(`INSERT INTO crawl_states (job_id, fetched) VALUES ($1, $2)`, [id, pages]);
  const hash = `md5($1::text || n)::uuid`;
  await pool.query(
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url)
     SELECT $1::uuid, ${hash}, n, 'fetched', 1, 1, now(), 'https://example.com/' || n FROM generate_series(1, $2::int) AS n`,
    [id, pages],
  );
  await pool.query(
    `INSERT INTO crawl_visited (job_id, url_hash) SELECT $1::uuid, ${hash} FROM generate_series(1, $2::int) AS n`,
    [id, pages],
  );
  await pool.query(
    `INSERT INTO crawl_page_contents (job_id, url_hash) SELECT $1::uuid, ${hash} FROM generate_series(1, $2::int) AS n`,
    [id, pages],
  );
  return id;
}

async function rowsOf(id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...crawlTables, 'job_events']) {
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM ${table} WHERE job_id = $1`,
      [id],
    );
    if (rows[0]?.count) counts[table] = rows[0].count;
  }
  return counts;
}

test('an old crawl goes with its pages and events, a batch at a time, and waits for nobody', async () => {
  const { pool } = database;
  const large = await oldCrawl(11_000);
  const locked = await oldCrawl(1);
  expect(await rowsOf(large)).toMatchObject({
    crawl_pages: 11_000,
    crawl_page_contents: 11_000,
    job_events: 3,
  });
  const asked: string[] = [];
  const watched = {
    query: (config: { name?: string }) => {
      asked.push(config.name ?? '');
      return pool.query(config as never);
    },
  } as unknown as Queryable;
  const reader = await pool.connect();
  try {
    await reader.query('BEGIN');
    await reader.query('SELECT FROM crawl_jobs WHERE id = $1 FOR UPDATE', [locked]);
    expect(await prune(watched, 30)).toMatchObject({ jobs: 1 });
    expect(await rowsOf(large)).toEqual({});
    expect(await rowsOf(locked)).toMatchObject({ crawl_pages: 1, job_events: 3 });
  } finally {
    await reader.query('ROLLBACK');
    reader.release();
  }
  // 5,000 rows in a statement at most, each a transaction of its own.
  expect(asked.filter((name) => name === 'delete-crawl_pages')).toHaveLength(3);
  expect(asked.filter((name) => name === 'delete-contents')).toHaveLength(3);
  expect(await prune(pool as unknown as Queryable, 30)).toMatchObject({ jobs: 1 });
  expect(await rowsOf(locked)).toEqual({});
});

test('young crawls stay, and with a retention of 0 so do old ones', async () => {
  const old = await oldCrawl(2);
  const kept = { crawl_pages: 2, job_events: 3 };
  expect(await prune(database.pool as unknown as Queryable, 0)).toMatchObject({ jobs: 0 });
  expect(await prune(database.pool as unknown as Queryable, 32)).toMatchObject({ jobs: 0 });
  expect(await rowsOf(old)).toMatchObject(kept);
});
