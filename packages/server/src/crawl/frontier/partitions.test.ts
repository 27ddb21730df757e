import { beforeAll, expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { deleteCrawl } from '../retention/delete-crawl.ts';
import { abandonFrontier } from './abandon-frontier.ts';
import { openFrontier } from './open-frontier.ts';
import { failure, found, save } from './testing/checkpoint-fixture.ts';

const queue = new QueueFixture();
/** As docs/scaling.md advises for tables of many hundred million rows. */
const tables = ['crawl_pages', 'crawl_page_contents', 'crawl_visited', 'crawl_frontier'];
const partitions = 8;

beforeAll(async () => {
  for (const table of tables) {
    await queue.pool.query(`ALTER TABLE ${table} RENAME TO whole_${table}`);
    await queue.pool.query(
      `CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (job_id)`,
    );
    for (let n = 0; n < partitions; n++)
      await queue.pool.query(
        `CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${n})`,
      );
    await queue.pool.query(`DROP TABLE whole_${table} CASCADE`);
  }
});

/** Crawls with three pending URLs each, whose rows stand in the same places of different partitions. */
async function begunCrawls(): Promise<HeldJob[]> {
  const jobs: HeldJob[] = [];
  for (let n = 0; n < 12; n++) {
    const job = await queue.claimedOne();
    await openFrontier(queue.pool, job, { key: `key ${n}`, recrawl: false });
    const urls = Array.from({ length: 3 }, (_, n) => found(`http://a.test/${n}`));
    await save(queue.pool, job, { number: 1, found: urls });
    jobs.push(job);
  }
  const { rows } = await queue.pool.query('SELECT count(DISTINCT tableoid) AS used FROM crawl_frontier');
  expect(Number(rows[0].used)).toBeGreaterThan(1);
  return jobs;
}

async function pendingOf(jobs: readonly HeldJob[]): Promise<number[]> {
  const { rows } = await queue.pool.query<{ job_id: string; pending: number }>(
    'SELECT job_id, count(*)::integer AS pending FROM crawl_frontier GROUP BY job_id',
  );
  return jobs.map(({ id }) => rows.find(({ job_id }) => job_id === id)?.pending ?? 0);
}

test('where the tables of crawls are partitioned by job, no crawl touches the rows of another', async () => {
  const [first, second, third, ...others] = (await begunCrawls()) as [
    HeldJob,
    HeldJob,
    HeldJob,
    ...HeldJob[],
  ];
  await save(queue.pool, first, {
    number: 2,
    done: [{ host: 'a.test', seq: 1 }],
    postponed: [{ host: 'a.test', seq: 2, attempts: 1, refusals: 0, until: 0, failure }],
  });
  await abandonFrontier(queue.pool, second);
  await deleteCrawl(queue.pool, third.id);
  expect(await pendingOf([first, second, third])).toEqual([2, 0, 0]);
  expect(await pendingOf(others)).toEqual(others.map(() => 3));
  const { rows } = await queue.pool.query('SELECT job_id, seq FROM crawl_frontier WHERE attempts > 0');
  expect(rows).toEqual([{ job_id: first.id, seq: 2 }]);
});
