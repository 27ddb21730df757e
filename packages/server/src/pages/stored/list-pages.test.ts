import { randomUUID } from 'node:crypto';
import type { ListedPage } from '@holdfast/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { type AllPagesPosition, listAllPages } from './list-all-pages.ts';
import { listErrors, listErrorsStatement } from './list-errors.ts';
import { listPages, type PageListOptions, type PagePosition, pagePaths } from './list-pages.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Every tenth page failed, for one of two reasons; every seventh was skipped, every hundredth redirected. */
async function makePages(count: number): Promise<string> {
  const job = randomUUID();
  await database.pool.query(
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, fetched_at, url, title, reason)
     SELECT $1, md5(n::text)::uuid, n, outcome, CASE WHEN outcome = 'failed' THEN 503 WHEN outcome = 'fetched' THEN 200 END,
       1, 1, now(), 'https://example.com/page/' || n, 'Title of ' || n,
       CASE outcome WHEN 'failed' THEN CASE WHEN n % 20 = 0 THEN 'site_error' ELSE 'fetch_timed_out' END
         WHEN 'skipped' THEN 'robots_disallowed' END
     FROM generate_series(1, $2::int) AS n CROSS JOIN LATERAL (
       SELECT CASE WHEN n % 100 = 1 THEN 'redirected' WHEN n % 10 = 0 THEN 'failed' WHEN n % 7 = 0 THEN 'skipped'
         ELSE 'fetched' END::page_outcome AS outcome
     ) made`,
    [job, count],
  );
  return job;
}

/** All pages of a list, slice by slice. */
async function walk(job: string, options: Omit<PageListOptions, 'limit' | 'after'>, limit = 7) {
  const pages: ListedPage[] = [];
  let after: PagePosition | undefined;
  let slices = 0;
  do {
    const slice: Awaited<ReturnType<typeof listPages>> = await listPages(database.pool, job, {
      ...options,
      limit,
      after,
    });
    pages.push(...slice.pages);
    after = slice.next ?? undefined;
    slices++;
  } while (after);
  return { pages, slices, numbers: pages.map(({ page_no }) => page_no) };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the pages of a job', () => {
  test('come slice by slice, each once, in either order', async () => {
    const job = await makePages(100);
    await makePages(20);
    expect((await walk(job, {})).numbers).toEqual(upTo(100));
    expect((await walk(job, { order: 'newest' })).numbers).toEqual(upTo(100).reverse());
  });

  test('are filtered by outcome, reason, status, and words of their URL or title', async () => {
    const job = await makePages(100);
    const failed = upTo(100).filter((n) => n % 10 === 0);
    const timedOut = failed.filter((n) => n % 20 !== 0);
    const siteErrors = failed.filter((n) => n % 20 === 0);
    expect((await walk(job, { outcome: 'failed' })).numbers).toEqual([...timedOut, ...siteErrors]);
    expect((await walk(job, { outcome: 'failed', order: 'newest' })).numbers).toEqual(
      [...timedOut, ...siteErrors].reverse(),
    );
    for (const order of ['oldest', 'newest'] as const) {
      const inOrder = (numbers: number[]) => (order === 'oldest' ? numbers : numbers.toReversed());
      const numbersOf = async (search: object) => (await walk(job, { ...search, order }, 2)).numbers;
      expect(await numbersOf({ outcome: 'failed', reason: 'site_error' })).toEqual(inOrder(siteErrors));
      expect(await numbersOf({ reason: 'site_error' })).toEqual(inOrder(siteErrors));
      expect(await numbersOf({ outcome: 'redirected' })).toEqual(inOrder([1]));
      expect(await numbersOf({ status: 503 })).toEqual(inOrder(failed));
      expect(await numbersOf({ search: 'PAGE/9' })).toEqual(inOrder([9, ...upTo(99).filter((n) => n >= 90)]));
      expect(await numbersOf({ search: 'title OF 77' })).toEqual(inOrder([77]));
      expect(await numbersOf({ search: '%' })).toEqual([]);
    }
  });

  test('are looked through a bounded number of rows at a time, and found all the same', async () => {
    const job = await makePages(11_000);
    const { numbers, slices } = await walk(job, { search: 'page/1100' }, 50);
    expect(numbers).toEqual([1100, 11_000]);
    expect(slices).toBe(3);
    const first = await listPages(database.pool, job, { search: 'page/11000', limit: 50 });
    expect(first).toMatchObject({ pages: [], next: { page_no: 4_000 } });
  });

  test.each(['oldest', 'newest'] as const)(
    '%s first go along their indexes, without sorting',
    async (order) => {
      const client = await database.pool.connect();
      const values = [randomUUID(), 'failed', '', 0, '~', null, null, null, null, 50, null];
      const pathsOf = (statement: Statement<never>) =>
        accessPaths(client, statement, values, { table: 'crawl_pages', generic: true });
      const { all, notFetched } = pagePaths[order];
      // So many that the planner has a reason to choose, whichever tests ran before.
      await makePages(11_000);
      await client.query('ANALYZE crawl_pages');
      try {
        expect(await pathsOf(all as Statement<never>)).toEqual(['crawl_pages_in_order']);
        expect(await pathsOf(notFetched as Statement<never>)).toEqual(['crawl_pages_not_fetched']);
        const { rows } =
          await client.query(`EXPLAIN EXECUTE explained ('${randomUUID()}', 'failed', '', 0, '~',
        NULL, NULL, NULL, NULL, 50, NULL)`);
        // Those that were found, not those that were looked at.
        expect(JSON.stringify(rows).match(/Sort Key: \w+/g)).toEqual(['Sort Key: found']);
      } finally {
        client.release(true);
      }
    },
  );
});

describe('what went wrong in a crawl', () => {
  test('is counted by reason, with the first pages as samples', async () => {
    const job = await makePages(1000);
    const { data, more } = await listErrors(database.pool, job);
    expect(more).toBe(false);
    expect(data.map(({ outcome, reason, count, exact }) => [outcome, reason, count, exact])).toEqual([
      ['failed', 'fetch_timed_out', 50, true],
      ['failed', 'site_error', 50, true],
      [
        'skipped',
        'robots_disallowed',
        upTo(1000).filter((n) => n % 7 === 0 && n % 10 && n % 100 !== 1).length,
        true,
      ],
    ]);
    expect(data[0]?.samples.map(({ url }) => url)).toEqual(
      [10, 30, 50, 70, 90].map((n) => `https://example.com/page/${n}`),
    );
    expect(data[0]?.samples[0]).toMatchObject({ status: 503, fetched_at: expect.any(Date) });
  });

  test('is empty for a job without pages', async () => {
    expect(await listErrors(database.pool, randomUUID())).toEqual({ data: [], more: false });
  });

  test('is counted up to a limit, and found along the index', async () => {
    const job = randomUUID();
    await database.pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, depth, attempts, fetched_at, url, reason)
       SELECT $1, md5(n::text)::uuid, n, 'skipped', 1, 1, now(), 'https://example.com/' || n,
         CASE WHEN n <= 2001 THEN 'robots_disallowed' ELSE 'reason_' || n END
       FROM generate_series(1, 2060) AS n`,
      [job],
    );
    const { data, more } = await listErrors(database.pool, job);
    expect(data[0]).toMatchObject({ reason: 'reason_2002', count: 1, exact: true });
    expect([data.length, more]).toEqual([50, true]);
    await database.pool.query(`DELETE FROM crawl_pages WHERE job_id = $1 AND reason LIKE 'reason_%'`, [job]);
    expect((await listErrors(database.pool, job)).data).toMatchObject([
      { reason: 'robots_disallowed', count: 2_000, exact: false },
    ]);
    const client = await database.pool.connect();
    const options = { table: 'crawl_pages', generic: true };
    try {
      const paths = await accessPaths(client, listErrorsStatement as Statement<never>, [job], options);
      expect(paths).toEqual(['crawl_pages_not_fetched']);
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE explained ('${job}')`);
      // To find the reasons, the next one each time, and to count; the table is read for what is shown.
      expect(
        JSON.stringify(rows)
          .match(/"Index(?: Only)? Scan"/g)
          ?.sort(),
      ).toEqual(['"Index Only Scan"', '"Index Only Scan"', '"Index Only Scan"', '"Index Scan"']);
    } finally {
      client.release(true);
    }
  });
});

describe('the pages of all jobs', () => {
  test('come from the newest job to the oldest, of one owner or of all', async () => {
    await database.pool.query('TRUNCATE crawl_pages, crawl_states, crawl_jobs');
    const jobs: string[] = [];
    for (const [index, owner] of ['ann', 'bob', 'ann'].entries()) {
      const id = await makePages(30 + index);
      await database.pool.query(
        `INSERT INTO crawl_jobs (id, kind, payload, user_id) VALUES ($1, 'crawl', '{}', $2)`,
        [id, owner],
      );
      await database.pool.query('INSERT INTO crawl_states (job_id) VALUES ($1)', [id]);
      jobs.push(id);
    }
    const walkAll = async (options: object) => {
      const found: ListedPage[] = [];
      let after: AllPagesPosition | undefined;
      do {
        const slice: Awaited<ReturnType<typeof listAllPages>> = await listAllPages(database.pool, {
          ...options,
          limit: 9,
          after,
        });
        found.push(...slice.pages);
        after = slice.next ?? undefined;
      } while (after);
      return found.map(({ job_id, page_no }) => `${job_id} ${page_no}`);
    };
    const pagesOf = (index: number) =>
      upTo(30 + index)
        .reverse()
        .map((n) => `${jobs[index]} ${n}`);
    const newestFirst = [0, 1, 2].sort((a, b) => ((jobs[a] ?? '') < (jobs[b] ?? '') ? 1 : -1));
    expect(await walkAll({})).toEqual(newestFirst.flatMap(pagesOf));
    expect(await walkAll({ user_id: 'ann' })).toEqual(newestFirst.filter((n) => n !== 1).flatMap(pagesOf));
    expect(await walkAll({ user_id: 'eve' })).toEqual([]);
    expect(await walkAll({ outcome: 'redirected' })).toEqual(newestFirst.map((n) => `${jobs[n]} 1`));
  });
});
