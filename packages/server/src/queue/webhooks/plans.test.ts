import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { claimDeliveries, claimDeliveriesStatement } from './claim-deliveries.ts';
import { listDeliveredStatement, listDeliveries, listStatements } from './find-deliveries.ts';
import { pruneDeliveries, pruneDeliveriesStatement } from './prune-deliveries.ts';
import { replayAnyStatement, replayDeadStatement, replayDeliveries } from './replay-deliveries.ts';

const nil = '00000000-0000-0000-0000-000000000000';
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const full = process.env.HOLDFAST_TEST_FULL === '1';
const count = full ? 1_000_000 : 60_000;

let database: TestDatabase;
let client: PoolClient;
let busy: string;
beforeAll(async () => {
  database = await createTestDatabase();
  client = await database.pool.connect();
  const { rows } = await client.query(
    `INSERT INTO webhooks (url, events, secret)
     SELECT 'https://example.com/' || n, '{job.completed}', 'whsec_eA==' FROM generate_series(1, 3) n RETURNING id`,
  );
  busy = rows[0].id;
  await client.query('ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)');
  // A third is delivered, a third dead, a third due; nine of ten are of one webhook.
  await client.query(
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, status, next_attempt_at)
     SELECT CASE WHEN n % 10 = 0 THEN $2 ELSE $1 END::uuid, 'job.completed', '{"type": "job.completed"}',
       (ARRAY['delivered', 'dead', 'pending'])[n % 3 + 1]::webhook_delivery_status, now() - make_interval(secs => n)
     FROM generate_series(1, $3::int) n`,
    [busy, rows[1].id, count],
  );
}, 600_000);
afterAll(async () => {
  client.release();
  await database.drop();
});

const statements = (): [string, Statement<never>, unknown[], string[]][] => [
  [
    'claim',
    claimDeliveriesStatement as Statement<never>,
    [45, 16, [], []],
    ['webhook_deliveries_pending', 'webhook_deliveries_pkey'],
  ],
  [
    'replay of dead ones',
    replayDeadStatement as Statement<never>,
    [busy, nil, 1000],
    ['webhook_deliveries_dead', 'webhook_deliveries_pkey'],
  ],
  [
    'replay of all',
    replayAnyStatement as Statement<never>,
    [busy, nil, 1000],
    ['webhook_deliveries_of_webhook', 'webhook_deliveries_pkey'],
  ],
  ['list', listStatements.any as Statement<never>, [busy, last, 50], ['webhook_deliveries_of_webhook']],
  [
    'list of pending ones',
    listStatements.pending as Statement<never>,
    [busy, last, 50],
    ['webhook_deliveries_pending_newest'],
  ],
  [
    'list of dead ones',
    listStatements.dead as Statement<never>,
    [busy, last, 50],
    ['webhook_deliveries_dead'],
  ],
  [
    'list of delivered ones',
    listDeliveredStatement as Statement<never>,
    [busy, last, 50],
    ['webhook_deliveries_of_webhook'],
  ],
  ['prune', pruneDeliveriesStatement as Statement<never>, [nil, 30, 1000], ['webhook_deliveries_pkey']],
];

describe.each([
  ['no statistics', ''],
  ['fresh statistics', 'ANALYZE webhook_deliveries, webhooks'],
])(`with ${count} deliveries and %s`, (_, prepare) => {
  beforeAll(async () => {
    if (prepare) await client.query(prepare);
  });
  test.each([true, false])('every statement goes by its own index (generic plan: %s)', async (generic) => {
    for (const [name, statement, values, expected] of statements()) {
      const paths = await accessPaths(client, statement, values, { table: 'webhook_deliveries', generic });
      expect([name, paths]).toEqual([name, expected.sort()]);
    }
  });
});

/** A session keeps the plans that it made when the table was empty until somebody analyses the table. */
test.each([
  ['empty', ''],
  ['empty, and analysed', 'VACUUM ANALYZE webhook_deliveries, webhooks'],
])('with plans made when the table was %s, no statement reads it whole', async (_, before) => {
  const empty = await createTestDatabase({ max: 1 });
  const session = await empty.pool.connect();
  if (before) await session.query(before);
  for (const [name, statement, values] of statements()) {
    const paths = await accessPaths(session, statement, values, {
      table: 'webhook_deliveries',
      generic: true,
    });
    expect([name, paths.filter((path) => /Seq Scan|whole/.test(path))]).toEqual([name, []]);
  }
  session.release();
  await empty.drop();
});

test('a claim of few among many brings the oldest of each webhook, however many one has', async () => {
  const claimed = await claimDeliveries(client, { limit: 16, leaseSeconds: 45 });
  const counts = new Map<string, number>();
  for (const { webhook_id } of claimed) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1);
  expect([...counts.values()]).toEqual([4, 4]);
  const again = await claimDeliveries(client, { limit: 16, leaseSeconds: 45, busy: new Map([[busy, 3]]) });
  expect(again.filter(({ webhook_id }) => webhook_id === busy)).toHaveLength(1);
});

test.each(['pending', 'delivered', 'dead'] as const)(
  'a list of %s ones comes to each of them once, however few there are among the others',
  async (status) => {
    const quiet = randomUUID();
    const others = status === 'delivered' ? 'dead' : 'delivered';
    const { rows: made } = await client.query<{ id: string; status: string }>(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, status, created_at)
       SELECT $1, 'job.completed', '{}', (CASE WHEN n % 3000 = 7 THEN $2 ELSE $3 END)::webhook_delivery_status, now()
       FROM generate_series(1, 12000) n RETURNING id, status`,
      [quiet, status, others],
    );
    const seen: string[] = [];
    let parts = 0;
    for (let after: string | undefined; ; parts++) {
      const { rows, next } = await listDeliveries(client, quiet, {
        status,
        limit: 3,
        ...(after && { after }),
      });
      seen.push(...rows.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    const wanted = made.filter((delivery) => delivery.status === status).map(({ id }) => id);
    expect(seen).toEqual(wanted.toReversed());
    expect(seen).toHaveLength(4);
    // With an index of their own, a page and the rest; without one, a part of all at a time.
    expect(parts).toBeGreaterThanOrEqual(status === 'delivered' ? 2 : 1);
    await client.query('DELETE FROM webhook_deliveries WHERE webhook_id = $1', [quiet]);
  },
);

test('all dead ones are replayed, and all old ones pruned, in batches', async () => {
  // Undone at the end: the other tests look at the same rows.
  await client.query('BEGIN');
  try {
    await replayAndPrune();
  } finally {
    await client.query('ROLLBACK');
  }
}, 600_000);

async function replayAndPrune(): Promise<void> {
  const { rows: dead } = await client.query<{ count: number }>(
    `SELECT count(*)::int FROM webhook_deliveries WHERE status = 'dead' AND webhook_id = $1`,
    [busy],
  );
  expect((await replayDeliveries(client, busy, {})).replayed).toBe(dead[0]?.count);
  await client.query('DELETE FROM webhooks WHERE id = $1', [busy]);
  const pruned = await pruneDeliveries(client, 0, { batch: 5_000 });
  expect(pruned).toBe(count - Math.floor(count / 10));
  expect(await pruneDeliveries(client, 0)).toBe(0);
  // What is left becomes old: ids begin with their time.
  await client.query(
    `UPDATE webhook_deliveries SET id = ('00000000' || substr(id::text, 9))::uuid,
       next_attempt_at = now() - CASE WHEN status = 'dead' THEN interval '1 day' ELSE interval '31 days' END`,
  );
  const { rows: old } = await client.query<{ count: number }>(
    `SELECT count(*)::int FROM webhook_deliveries WHERE status <> 'dead'`,
  );
  expect(await pruneDeliveries(client, 30, { batch: 700 })).toBe(old[0]?.count);
}
