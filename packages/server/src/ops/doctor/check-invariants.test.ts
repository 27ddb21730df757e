import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { findViolations } from './check-invariants.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() =>
  database.pool.query(
    ['crawl_jobs', 'job_events', 'crawl_states', 'crawl_frontier', 'crawl_hosts', 'crawl_visited']
      .map((table) => `DELETE FROM ${table}`)
      .join(';'),
  ),
);
afterAll(() => database.drop());

/** A job whose history says what its row says. */
const enter = async (status: string) => {
  const { rows } = await database.pool.query<{ id: string }>(
    `WITH job AS (
       INSERT INTO crawl_jobs (kind, payload, status, worker_id, lease_expires_at, fence, event_count)
       VALUES ('crawl', '{}', $1::text::job_status, CASE $1::text WHEN 'processing' THEN 'w1' END,
         CASE $1::text WHEN 'processing' THEN now() + interval '1 minute' END, 1, 3) RETURNING id, status
     ), event AS (
       INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
       SELECT id, 1, 'enqueue'::job_transition, NULL::job_status, 'pending'::job_status, 0, 'user:test' FROM job
       UNION ALL SELECT id, 2, 'claim', 'pending', 'processing', 1, 'supervisor:w1' FROM job
       UNION ALL SELECT id, 3, 'pause', 'processing', status, 1, 'user:test' FROM job
     ), state AS (
       INSERT INTO crawl_states (job_id, total_pending, next_seq) SELECT id, 1, 2 FROM job
     ), frontier AS (
       INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth)
       SELECT id, 'example.com', 1, md5('a')::uuid, 'https://example.com/', 0 FROM job
     ), host AS (
       INSERT INTO crawl_hosts (job_id, host, pending) SELECT id, 'example.com', 1 FROM job
     ), visited AS (
       INSERT INTO crawl_visited (job_id, url_hash) SELECT id, md5('a')::uuid FROM job
     )
     SELECT id FROM job`,
    [status],
  );
  return rows[0]?.id ?? '';
};

const found = async (ids: string[]) =>
  (await findViolations(database.pool, ids, 60)).map(({ invariant, job_id }) => [invariant.number, job_id]);

describe('the invariants', () => {
  test('find nothing where nothing is wrong', async () => {
    expect(await found([await enter('processing'), await enter('paused')])).toEqual([]);
  });

  test.each([
    [
      1,
      'a URL that was found and is nowhere',
      `INSERT INTO crawl_visited SELECT id, md5('b')::uuid FROM crawl_jobs`,
    ],
    [2, 'frontier rows that no host counts', 'UPDATE crawl_hosts SET pending = 0'],
    [3, 'a total that is not the number of rows', 'UPDATE crawl_states SET total_pending = 2'],
    [
      4,
      'a lease that ran out unnoticed',
      `UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 hour'`,
    ],
    [
      5,
      'a fence that ended twice',
      `INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
         SELECT id, 4 + n, 'complete', 'processing', 'completed', 1, 'supervisor:w1' FROM crawl_jobs, generate_series(0, 1) n`,
    ],
    [
      8,
      'a status that no event tells of',
      `UPDATE crawl_jobs SET status = 'pending', lease_expires_at = NULL, worker_id = NULL`,
    ],
  ])('find by number %i %s', async (number, _what, sql) => {
    const id = await enter('processing');
    await database.pool.query(sql);
    expect(await found([id])).toContainEqual([number, id]);
  });

  test('find what was saved after a pause was acknowledged', async () => {
    const id = await enter('paused');
    await database.pool.query(`UPDATE crawl_states SET updated_at = now() + interval '1 second'`);
    expect(await found([id])).toEqual([[7, id]]);
  });
});
