import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { listEvents } from '../../queue/jobs/find-jobs.ts';
import type { Product } from '../products/product.ts';
import { storeVisit } from '../visits/visitor.ts';
import { listPriceChanges, priceHistory } from './price-changes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE crawl_jobs, job_events, crawl_results, price_changes'));

const url = 'https://shop.example/kettle';

/** A visit from its making to its end; answers with its job. */
async function visit(price: string | null, currency = 'EUR', owner = 'local', at = url): Promise<string> {
  const { pool } = database;
  await enqueueJob(pool, { kind: 'visit', payload: { url: at }, user_id: owner });
  const [job] = await claimJobs(pool, {
    lanes: [{ kind: 'visit', executor: 'builtin', leaseSeconds: 60 }],
    limit: 1,
    workerId: 'w',
  });
  if (!job) throw new Error('no job');
  const product = { price, currency: price === null ? null : currency, title: 'Kettle', inStock: true };
  expect(await storeVisit(pool, job, product as Product, 'supervisor:w')).toBe('completed');
  return job.id;
}

describe('a price that differs from the one before', () => {
  test('is recorded once, to the last digit, and told in the timeline of the job', async () => {
    await visit('19.90');
    await visit('19.9');
    const changed = await visit('17.49');
    await visit('17.49');
    const changes = await listPriceChanges(database.pool, { limit: 10 });
    expect(changes).toMatchObject([
      {
        job_id: changed,
        url,
        previous_price: '19.9',
        previous_currency: 'EUR',
        price: '17.49',
        currency: 'EUR',
      },
    ]);
    const events = await listEvents(database.pool, changed);
    expect(events.at(-1)).toMatchObject({
      transition: 'complete',
      reason: 'price changed from 19.9 EUR to 17.49 EUR',
    });
    const history = await priceHistory(database.pool, { of: { url }, limit: 10 });
    expect(history.map(({ price, price_change }) => [price, price_change?.previous_price])).toEqual([
      ['17.49', undefined],
      ['17.49', '19.9'],
      ['19.9', undefined],
      ['19.90', undefined],
    ]);
  });

  test('is one in another currency too, but not one of another owner or page, nor a page without a price', async () => {
    await visit('5');
    await visit('6', 'EUR', 'bob');
    await visit('7', 'EUR', 'local', 'https://shop.example/pot');
    await visit(null);
    await visit('5');
    expect(await listPriceChanges(database.pool, { limit: 10 })).toEqual([]);
    await visit('5', 'USD');
    expect(await listPriceChanges(database.pool, { owner: 'local', limit: 10 })).toMatchObject([
      { previous_currency: 'EUR', currency: 'USD' },
    ]);
    expect(await listPriceChanges(database.pool, { owner: 'bob', limit: 10 })).toEqual([]);
    expect(await listPriceChanges(database.pool, { url, limit: 10 })).toHaveLength(1);
  });
});

test('the price before is looked for among the results of its page alone, however many there are of a few others', async () => {
  const client = await database.pool.connect();
  const insert = (count: number, page: string) =>
    client.query(
      `INSERT INTO crawl_results (id, job_id, user_id, url, price, currency, actor)
       SELECT uuid_v7(), gen_random_uuid(), 'local', ${page}, 1, 'EUR', 'test' FROM generate_series(1, $1::int) AS n`,
      [count],
    );
  const read = async () => {
    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'crawl_results'`,
    );
    return rows[0]?.read ?? 0;
  };
  try {
    await insert(300, `'https://shop.example/' || n % 3`);
    await client.query('ANALYZE crawl_results');
    await insert(2_000, `'https://shop.example/' || n % 3`);
    await client.query('BEGIN');
    const before = await read();
    await insert(100, `'https://shop.example/new/' || n`);
    await insert(3, `'https://shop.example/' || n % 3`);
    expect((await read()) - before).toBeLessThan(200);
  } finally {
    client.release(true);
  }
});
