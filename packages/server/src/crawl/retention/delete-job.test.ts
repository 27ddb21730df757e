import { HoldfastError } from '@holdfast/contract';
import type { QueryConfig } from 'pg';
import { describe, expect, test } from 'vitest';
import { actor, QueueFixture, transient } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { deleteJob } from '../../queue/jobs/delete-job.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { expireJobs } from '../../queue/jobs/expire-jobs.ts';
import { failJobs } from '../../queue/jobs/fail-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { retryJobsLater } from '../../queue/jobs/retry-jobs-later.ts';
import { openFrontier } from '../frontier/open-frontier.ts';
import { found, save } from '../frontier/testing/checkpoint-fixture.ts';
import { deleteOrphan, deleteOrphans } from './delete-orphans.ts';
import { pruneJobs } from './prune-jobs.ts';

const queue = new QueueFixture();
const pagesPerCrawl = 12_000;
const stored = [
  'crawl_pages', 'crawl_page_contents', 'crawl_visited', 'crawl_frontier', 'crawl_hosts', 'crawl_gone', 'crawl_suspects',
  'crawl_states', 'job_events', 'bot_submissions',
]; // biome-ignore format: a list

/** A finished crawl that has left something in every table, more than a batch of pages. */
async function finishedCrawl(pages = pagesPerCrawl): Promise<HeldJob> {
  const job = await queue.claimedOne();
  await openFrontier(queue.pool, job, { key: job.id, recrawl: false });
  await save(queue.pool, job, { number: 1, found: [found('http://a.test/1'), found('http://a.test/2')] });
  await completeJobs(queue.pool, [job], actor);
  const numbers = 'FROM generate_series(1, $2::int) AS n';
  for (const text of [
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url)
     SELECT $1, md5(n::text)::uuid, n, 'fetched', 1, 1, now(), 'http://a.test/' || n ${numbers}`,
    `INSERT INTO crawl_page_contents (job_id, url_hash, markdown) SELECT $1, md5(n::text)::uuid, 'x' ${numbers}`,
    `INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, md5('more ' || n)::uuid ${numbers}`,
    `INSERT INTO crawl_gone (job_id, url_hash, url, last_seen) SELECT $1, md5(n::text)::uuid, 'http://a.test/', now() ${numbers}`,
    `INSERT INTO crawl_suspects (job_id, url_hash, last_fence) SELECT $1, md5(n::text)::uuid, 1 ${numbers}`,
    `INSERT INTO bot_submissions (job_id, fence, bot_id, http_status, answer) SELECT $1, n, 'b', 200, '{}' ${numbers}`,
  ])
    await queue.pool.query(text, [
      job.id,
      text.includes('suspects') || text.includes('submissions') ? 2 : pages,
    ]);
  return job;
}

async function rowsOf({ id }: HeldJob): Promise<Record<string, number>> {
  const counts = stored.map((table) => `(SELECT count(*) FROM ${table} WHERE job_id = $1) AS ${table}`);
  return (await queue.pool.query(`SELECT ${counts.join(', ')}`, [id])).rows[0];
}
const nothing = Object.fromEntries(stored.map((table) => [table, 0]));

/** The pool, and how many rows each statement deleted of one table. */
function watched(onQuery: (text: string) => void = () => {}): { db: Queryable; sizes: number[] } {
  const sizes: number[] = [];
  const db = {
    query: async (query: QueryConfig) => {
      onQuery(query.text);
      const result = await queue.pool.query(query);
      const [row] = result.rows;
      if (row) sizes.push(Number(row.deleted ?? row.seen ?? 0));
      return result;
    },
  } as unknown as Queryable;
  return { db, sizes };
}

describe('deleting a job', () => {
  test('takes all that it stored, in statements of at most 5,000 rows, and nothing of another', async () => {
    const [job, other] = [await finishedCrawl(), await finishedCrawl(10)];
    const before = await rowsOf(other);
    expect(Object.values(await rowsOf(job)).every((count) => count > 0)).toBe(true);
    expect(await deleteJob(queue.pool, job.id)).toEqual({
      id: job.id,
      kind: 'crawl',
      status: 'completed',
      url: 'https://example.com/',
      user_id: 'local',
      results: 0,
      price_points: 0,
    });
    // From now on it is not there, though its pages are.
    await expect(showJob(queue.pool, job.id)).rejects.toMatchObject({ code: 'job_not_found' });
    expect(await rowsOf(job)).toMatchObject({ crawl_pages: pagesPerCrawl, job_events: 0 });
    const { db, sizes } = watched();
    expect(await deleteOrphan(db, job.id)).toBe(true);
    expect(await rowsOf(job)).toEqual(nothing);
    expect(Math.max(...sizes)).toBe(5_000);
    expect(await rowsOf(other)).toEqual(before);
    await expect(deleteJob(queue.pool, job.id)).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test('that dies half way is finished by the next sweep, whatever the retention', async () => {
    const job = await finishedCrawl();
    await deleteJob(queue.pool, job.id);
    let left = 4;
    const { db } = watched(() => {
      if (left-- === 0) throw new Error('the process died');
    });
    await expect(deleteOrphan(db, job.id)).rejects.toThrow('the process died');
    const half = await rowsOf(job);
    expect(half.crawl_states).toBe(1);
    expect(half.crawl_page_contents).toBeLessThan(pagesPerCrawl);
    expect(await pruneJobs(queue.pool, 0)).toBe(0);
    expect(await rowsOf(job)).toEqual(nothing);
  });

  test('stops between two statements when it is told to, and says that something is left', async () => {
    const job = await finishedCrawl();
    await deleteJob(queue.pool, job.id);
    const stopping = new AbortController();
    const { db } = watched((text) => text.includes('crawl_page_contents') && stopping.abort());
    expect(await deleteOrphan(db, job.id, stopping.signal)).toBe(false);
    expect((await rowsOf(job)).crawl_pages).toBe(pagesPerCrawl);
    await deleteOrphans(queue.pool);
    expect(await rowsOf(job)).toEqual(nothing);
  });

  const broken = new HoldfastError('run_failed', 'broken');
  const ways: Record<string, (job: HeldJob) => Promise<unknown>> = {
    failed: (job) => failJobs(queue.pool, [{ ...job, error: broken }], actor),
    expired: (job) => expireJobs(queue.pool, [job.id], actor),
    cancelled: async () => {
      const waiting = await queue.enqueueOne();
      await cancelJobs(queue.pool, [waiting.id], actor);
    },
  };
  test.each(Object.keys(ways))('is for one that is %s as well', async (status) => {
    await ways[status]?.(await queue.claimedOne());
    const { rows } = await queue.pool.query('SELECT id FROM crawl_jobs WHERE status = $1', [status]);
    expect(await deleteJob(queue.pool, rows[0].id)).toMatchObject({ status });
    expect(await listEvents(queue.pool, rows[0].id)).toEqual([]);
  });

  const live: Record<string, (job: HeldJob) => Promise<unknown>> = {
    processing: async () => {},
    retryable: (job) => retryJobsLater(queue.pool, [{ ...job, error: transient }], actor),
    paused: async () => {
      const waiting = await queue.enqueueOne();
      await pauseJobs(queue.pool, [waiting.id], actor);
    },
    pending: () => queue.enqueueOne(),
  };
  test.each(Object.keys(live))(
    'is refused for one that is %s, with what to do, and changes nothing',
    async (status) => {
      await live[status]?.(await queue.claimedOne());
      const { rows } = await queue.pool.query('SELECT id FROM crawl_jobs WHERE status = $1', [status]);
      const { id } = rows[0];
      await expect(deleteJob(queue.pool, id)).rejects.toMatchObject({
        code: 'action_not_allowed',
        message: expect.stringContaining(`is ${status}`),
        hint: expect.stringContaining(`holdfast jobs cancel ${id}`),
      });
      expect(await showJob(queue.pool, id)).toMatchObject({ status });
      expect((await listEvents(queue.pool, id)).length).toBeGreaterThan(0);
    },
  );

  test('is not for others than its owner, to whom it is not there', async () => {
    const job = await finishedCrawl(1);
    await expect(deleteJob(queue.pool, job.id, { owner: 'bob' })).rejects.toMatchObject({
      code: 'job_not_found',
    });
    expect(await deleteJob(queue.pool, job.id, { owner: 'local' })).toMatchObject({ id: job.id });
  });

  test('that is retried at the same time either keeps all of it or loses all of it', async () => {
    const job = await queue.claimedOne();
    await failJobs(queue.pool, [{ ...job, error: broken }], actor);
    const client = await queue.pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM crawl_jobs WHERE id = $1 FOR UPDATE`, [job.id]);
    const deleting = deleteJob(queue.pool, job.id).catch((error) => error);
    await client.query(
      `UPDATE crawl_jobs SET status = 'pending', completed_at = NULL, worker_id = NULL, event_count = event_count + 1 WHERE id = $1`,
      [job.id],
    );
    await client.query('COMMIT');
    client.release();
    expect(await deleting).toMatchObject({ code: 'action_not_allowed' });
    expect(await listEvents(queue.pool, job.id)).toHaveLength(3);
  });

  test('leaves results and price points, unless they are asked for; then their intake is valued anew', async () => {
    const { rows } = await queue.pool.query<{ intake: string }>(
      `WITH source AS (INSERT INTO sources (id, name, configured) VALUES ('s', 's', true))
       INSERT INTO intakes (title) VALUES ('Coin') RETURNING id AS intake`,
    );
    const intake = rows[0]?.intake;
    const ended = async () => {
      const job = await queue.claimedOne();
      await completeJobs(queue.pool, [job], actor);
      await queue.pool.query(
        `INSERT INTO crawl_results (job_id, user_id, url, price, currency, actor) VALUES ($1, 'local', 'https://a.test/', 5, 'USD', 'x')`,
        [job.id],
      );
      await queue.pool.query(
        `INSERT INTO price_points (intake_id, source_id, dedupe_key, price, currency, price_type, match_strength, actor, job_id)
         SELECT $2, 's', 'ext_' || $1 || n, n, 'USD', 'sold', 1, 'x', $1::text::uuid FROM generate_series(1, 3) AS n`,
        [job.id, intake],
      );
      return job;
    };
    const left = async () =>
      (
        await queue.pool.query(`SELECT (SELECT count(*) FROM crawl_results) AS results,
          (SELECT count(*) FROM price_points) AS points, (SELECT bool_or(valuation_due) FROM intakes) AS due`)
      ).rows[0];
    const [kept, dropped] = [await ended(), await ended()];
    expect(await deleteJob(queue.pool, kept.id)).toMatchObject({ results: 0, price_points: 0 });
    expect(await left()).toEqual({ results: 2, points: 6, due: false });
    expect(await deleteJob(queue.pool, dropped.id, { withResults: true })).toMatchObject({
      results: 1,
      price_points: 3,
    });
    expect(await left()).toEqual({ results: 1, points: 3, due: true });
  });

  test('frees its idempotency key', async () => {
    const request = {
      kind: 'crawl' as const,
      payload: { url: 'https://example.com/' },
      idempotency_key: 'k',
    };
    const { job } = await enqueueJob(queue.pool, request);
    await cancelJobs(queue.pool, [job.id], actor);
    expect((await enqueueJob(queue.pool, request)).outcome).toBe('repeated');
    await deleteJob(queue.pool, job.id);
    expect((await enqueueJob(queue.pool, request)).outcome).toBe('created');
  });
});

describe('DELETE FROM crawl_jobs', () => {
  test('takes all that the jobs stored, and nothing of another', async () => {
    const [one, two, other] = [await finishedCrawl(100), await finishedCrawl(10), await finishedCrawl(10)];
    const before = await rowsOf(other);
    await queue.pool.query('DELETE FROM crawl_jobs WHERE id = ANY ($1)', [[one.id, two.id]]);
    expect([await rowsOf(one), await rowsOf(two)]).toEqual([nothing, nothing]);
    expect(await rowsOf(other)).toEqual(before);
  });

  test('is undone with its transaction', async () => {
    const job = await finishedCrawl(10);
    const before = await rowsOf(job);
    const client = await queue.pool.connect();
    await client.query('BEGIN; DELETE FROM crawl_jobs; ROLLBACK');
    client.release();
    expect(await rowsOf(job)).toEqual(before);
  });

  test('of a running job waits for the checkpoint that is being saved, and no later one is accepted', async () => {
    const job = await queue.claimedOne();
    await openFrontier(queue.pool, job, { key: 'key', recrawl: false });
    const client = await queue.pool.connect();
    await client.query('BEGIN');
    await save(client, job, { number: 1, found: [found('http://a.test/1')] });
    const deleting = queue.pool.query('DELETE FROM crawl_jobs WHERE id = $1', [job.id]);
    const { processID } = client as unknown as { processID: number };
    await expect
      .poll(
        async () => {
          const { rows } = await queue.pool.query(
            'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
            [processID],
          );
          return rows.length;
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await client.query('COMMIT');
    client.release();
    await deleting;
    await expect(
      save(queue.pool, job, { number: 2, found: [found('http://a.test/2')] }),
    ).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(await rowsOf(job)).toEqual(nothing);
  });
});
