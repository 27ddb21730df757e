import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import type { FoundUrl } from './frontier-entry.ts';
import { openFrontier } from './open-frontier.ts';
import { arrayLiteral } from './save-checkpoint.ts';
import { failure, found, save as saveAt } from './testing/checkpoint-fixture.ts';

const queue = new QueueFixture();

async function begunCrawl(): Promise<HeldJob> {
  const job = await queue.claimedOne();
  await openFrontier(queue.pool, job, { key: 'key', recrawl: false });
  return job;
}

const save = (job: HeldJob, number: number, urls: readonly FoundUrl[]) =>
  saveAt(queue.pool, job, { number, found: urls });

async function frontierOf(job: HeldJob): Promise<FoundUrl[]> {
  const { rows } = await queue.pool.query<FoundUrl>(
    `SELECT host, url, url_hash, kind, depth, redirects, parent FROM crawl_frontier WHERE job_id = $1 ORDER BY seq`,
    [job.id],
  );
  return rows;
}

test('URLs enter the frontier in their order, as they were found', async () => {
  const job = await begunCrawl();
  const parent = urlHash('http://a.test/');
  const urls = [
    found('http://a.test/?quote="&list={1,2}', { parent }),
    found('http://a.test/?back\\slash\\', { parent, depth: 2 }),
    found('http://b.test:8080/NULL', { host: 'b.test:8080', redirects: 3 }),
    found('http://a.test/sitemap.xml', { kind: 'sitemap', depth: 0 }),
    found('http://a.test/llms.txt', { kind: 'text', depth: 0 }),
    found('http://a.test/', { parent }),
  ];
  expect(await save(job, 1, urls)).toMatchObject({ added: urls.length, total_pending: urls.length });
  expect(await frontierOf(job)).toEqual(urls);
});

test('URLs that the crawl has met before are not added again', async () => {
  const job = await begunCrawl();
  const [old, older, fresh] = ['1', '2', '3'].map((name) => found(`http://a.test/${name}`)) as [
    FoundUrl,
    FoundUrl,
    FoundUrl,
  ];
  await save(job, 1, [old, older]);
  const again = [older, fresh, old].map((url) => ({ ...url, depth: 7 }));
  expect(await save(job, 2, again)).toMatchObject({ added: 1, total_pending: 3 });
  expect(await frontierOf(job)).toEqual([old, older, { ...fresh, depth: 7 }]);
});

test('a checkpoint that is repeated, or comes without the lease, adds nothing', async () => {
  const job = await begunCrawl();
  await save(job, 1, [found('http://a.test/1')]);
  expect(await save(job, 1, [found('http://a.test/2')])).toMatchObject({ added: 0, total_pending: 1 });
  await expect(save({ ...job, fence: job.fence - 1 }, 2, [found('http://a.test/3')])).rejects.toMatchObject({
    code: 'lease_lost',
  });
  expect(await frontierOf(job)).toEqual([found('http://a.test/1')]);
});

/** Rows of the frontier that indexes led to so far, in this transaction. */
async function rowsRead(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ read: number }>({
    text: `SELECT pg_stat_get_xact_tuples_fetched(oid) + pg_stat_get_xact_tuples_returned(oid) AS read
           FROM pg_class WHERE relname = 'crawl_frontier_pkey'`,
  });
  return rows[0]?.read ?? 0;
}

test.each([
  ['empty', ''],
  ['empty, and analysed', 'VACUUM ANALYZE'],
])(
  'a checkpoint reads the rows that it is about, also with a plan made when all was %s',
  async (_, before) => {
    const session = await queue.pool.connect();
    onTestFinished(() => session.release());
    for (const table of ['crawl_frontier', 'crawl_states'])
      await session.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await session.query('TRUNCATE crawl_frontier, crawl_visited, crawl_states, crawl_hosts, crawl_pages');
    if (before) await session.query(before);
    const job = await begunCrawl();
    const urls = Array.from({ length: 9 }, (_, n) => found(`http://a.test/${n}`));
    await saveAt(session, job, { number: 1, found: urls });
    await session.query(
      `INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth)
     SELECT $1, 'a.test', n, gen_random_uuid(), 'http://a.test/' || n, 1 FROM generate_series(1000, 20000) n`,
      [job.id],
    );
    await session.query('BEGIN');
    const already = await rowsRead(session);
    await saveAt(session, job, {
      number: 2,
      done: [1, 2, 3].map((seq) => ({ host: 'a.test', seq })),
      postponed: [
        { host: 'a.test', seq: 4, attempts: 3, refusals: 2, until: performance.now() + 60_000, failure },
      ],
    });
    const read = (await rowsRead(session)) - already;
    await session.query('COMMIT');
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(50);
    const { rows } = await session.query(
      'SELECT seq, attempts, refusals FROM crawl_frontier WHERE job_id = $1 ORDER BY seq LIMIT 2',
      [job.id],
    );
    expect(rows).toEqual([
      { seq: 4, attempts: 3, refusals: 2 },
      { seq: 5, attempts: 0, refusals: 0 },
    ]);
  },
);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => await database.drop());

const lists: (string | null)[][] = [
  [],
  ['http://a.test/', 'http://a.test/?list={1,2}&of=NULL'],
  ['NULL', null, '', ' ', 'null'],
  ['http://a.test/?quote="', 'http://a.test/?back\\slash', '\\"', '\\\\', 'http://a.test/?plain'],
  ['http://a.test/ä,{ö}', "it's", 'two\nlines'],
];

test.each(lists.map((list) => [list]))('PostgreSQL reads the elements of %j as they were', async (list) => {
  const { rows } = await database.pool.query('SELECT $1::text[] AS read', [
    arrayLiteral(list, (item) => item),
  ]);
  expect(rows[0].read).toEqual(list);
});

test('numbers and hashes are read as such', async () => {
  const hash = '0e3b6f1c-5a7d-4c8e-9b1f-2a3c4d5e6f70';
  const { rows } = await database.pool.query('SELECT $1::integer[] AS numbers, $2::uuid[] AS hashes', [
    arrayLiteral([1, 1, 2], (item) => item),
    arrayLiteral([hash, null], (item) => item),
  ]);
  expect(rows[0].numbers).toEqual([1, 1, 2]);
  expect(rows[0].hashes).toEqual([hash, null]);
});
