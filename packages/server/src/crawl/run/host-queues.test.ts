import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { HostQueues } from './host-queues.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const limits = { maxHosts: 10, patienceMs: 300, lookEveryMs: 5 };

/** A frontier with two rows for each of so many hosts. */
async function frontierOf(hosts: number): Promise<HostQueues> {
  const jobId = randomUUID();
  await database.pool.query(
    `WITH host AS (SELECT 'h' || lpad(n::text, 5, '0') || '.example' AS name, n FROM generate_series(1, $2) AS n),
     known AS (INSERT INTO crawl_hosts (job_id, host, pending, done) SELECT $1, name, 2, n % 7 FROM host)
     INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth)
     SELECT $1, name, 2 * n + k, gen_random_uuid(), 'http://' || name || '/' || k, 1 FROM host, generate_series(0, 1) AS k`,
    [jobId, hosts],
  );
  return new HostQueues(database.pool, { jobId, baseline: null }, limits);
}

async function refilled(queues: HostQueues, startsAt: (host: string) => number): Promise<Set<string>> {
  while (await queues.refill(({ host }) => startsAt(host)));
  return new Set(queues.hosts.map(({ host }) => host));
}

const numberOf = (host: string) => Number(host.slice(1, 6));

describe('the hosts in memory', () => {
  test('make room for others while they are blocked for long, and come back when they are not', async () => {
    const queues = await frontierOf(40);
    expect((await refilled(queues, () => 0)).size).toBe(10);
    // Some of those that come next are blocked as well, and make room in their turn.
    const until = performance.now() + 3_000;
    const startsAt = (host: string) => (numberOf(host) <= 25 ? until : 0);
    const ready = new Set<string>();
    await vi.waitUntil(
      async () => {
        for (const host of await refilled(queues, startsAt)) if (startsAt(host) === 0) ready.add(host);
        return ready.size === 15 || performance.now() > until;
      },
      { timeout: 10_000, interval: 5 },
    );
    expect(ready.size).toBe(15);
    expect(queues.returnAt).toBe(until);
    expect(queues.isEmpty).toBe(false);

    await database.pool.query('UPDATE crawl_hosts SET pending = 0 WHERE host = ANY ($1)', [[...ready]]);
    for (const queue of queues.hosts) {
      for (let entry = queue.peek(0); entry; entry = queue.peek(0)) {
        queue.take(entry);
        queue.done(entry);
      }
    }
    await vi.waitUntil(async () => (await refilled(queues, () => 0)).has('h00001.example'), {
      timeout: 10_000,
      interval: 20,
    });
  });

  test('stay when they are in use, however long they are blocked', async () => {
    const queues = await frontierOf(40);
    await refilled(queues, () => 0);
    for (const queue of queues.hosts) {
      const entry = queue.peek(performance.now());
      if (entry) queue.take(entry);
    }
    const until = performance.now() + 60_000;
    expect((await refilled(queues, () => until)).size).toBe(10);
    expect(queues.returnAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('know how many pages earlier runs had of each', async () => {
    const queues = await frontierOf(20);
    await refilled(queues, () => 0);
    for (const { host, pages } of queues.hosts) expect(pages).toBe(numberOf(host) % 7);
  });
});

describe('at the page limit, with pages to be tried again', () => {
  /** So many hosts with as many rows that the limit leaves over; the last row of the last host is tried again. */
  async function leftOver(hosts: number, rows: number): Promise<HostQueues> {
    const jobId = randomUUID();
    await database.pool.query(
      `WITH host AS (SELECT 'h' || lpad(n::text, 5, '0') || '.example' AS name, n FROM generate_series(1, $2::int) AS n),
       known AS (INSERT INTO crawl_hosts (job_id, host, pending) SELECT $1::uuid, name, $3::int FROM host)
       INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, retry_of)
       SELECT $1, name, $3 * n + k, gen_random_uuid(), 'http://' || name || '/' || k, 1,
         CASE WHEN n = $2 AND k = $3 - 1 THEN 'failed'::page_outcome END
       FROM host, generate_series(0, $3 - 1) AS k`,
      [jobId, hosts, rows],
    );
    return new HostQueues(database.pool, { jobId, baseline: null }, limits);
  }

  test('only these are read, and what is left over stays for a later run', async () => {
    const queues = await leftOver(1, 1_000);
    while (await queues.refill(() => 0, 'retried'));
    const [queue] = queues.hosts;
    expect(queue?.buffered).toBe(1);
    const entry = queue?.peek(0);
    expect(entry).toMatchObject({ seq: 1_999, retry_of: 'failed' });
    if (entry) queue?.take(entry);
    if (entry) queue?.done(entry);
    expect(queue?.isEmpty).toBe(true);
    // Where the host's live rows begin.
    expect(queue?.lowSeq).toBe(1);
  });

  test('what was read before the limit is forgotten, and stays for a later run', async () => {
    const queues = await leftOver(1, 100);
    while (await queues.refill(() => 0));
    const [queue] = queues.hosts;
    for (let entry = queue?.peek(0); entry?.retry_of === null; entry = queue?.peek(0)) queue?.leave(entry);
    expect([queue?.buffered, queue?.lowSeq]).toEqual([1, 100]);
    const entry = queue?.peek(0);
    if (entry) queue?.take(entry);
    if (entry) queue?.done(entry);
    expect([queue?.isEmpty, queue?.lowSeq]).toEqual([true, 100]);
  });

  test('they are found behind any number of hosts that have none', async () => {
    const queues = await leftOver(10 * limits.maxHosts, 1);
    while (await queues.refill(() => 0, 'retried'));
    expect(queues.hosts.map(({ host, buffered }) => [host, buffered])).toEqual([['h00100.example', 1]]);
  });
});
