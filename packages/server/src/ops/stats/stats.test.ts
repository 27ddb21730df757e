import type { Stats } from '@holdfast/contract';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import { actor, crawl, crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Statement } from '../../base/database/statement.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { branchesStatement, countJobs, retriesStatement, wholeStatement } from './count-jobs.ts';
import { countOwnJobs, ownStatements } from './owner-jobs.ts';
import {
  countPendingPages,
  pendingPagesStatement,
  recentStatements,
  stuckStatement,
} from './running-jobs.ts';
import { StatsReader } from './stats-reader.ts';
import { minutesStatement, Throughput } from './throughput.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const empty =
  'TRUNCATE crawl_jobs, job_events, crawl_states, crawl_policies, workers, bots, bot_hours, sources CASCADE';
const newReader = () => new StatsReader({ db: database.pool, configuration: { heartbeatSeconds: 10 } });
const countOf = ({ jobs }: Pick<Stats, 'jobs'>, status: string, kind = 'crawl') =>
  jobs.find((row) => row.status === status && row.kind === kind);

/** Finished jobs, and of each other status so many; every tenth is alice's. */
const fill = `
  INSERT INTO crawl_jobs (event_count, kind, payload, status, priority, retry_count, user_id, run_at, next_retry_at, completed_at,
    worker_id, lease_expires_at)
  SELECT 1, CASE WHEN n % 4 = 0 THEN 'visit' ELSE 'crawl' END::job_kind, '{"url": "https://example.com/"}', status, n % 5,
    n % 3, CASE WHEN n % 10 = 0 THEN 'alice' ELSE 'local' END,
    CASE WHEN status = 'pending' AND n % 8 < 4 THEN now() + interval '1 day' END,
    CASE WHEN status = 'retryable' THEN now() + interval '1 day' END,
    CASE WHEN status IN ('completed', 'failed', 'cancelled', 'expired') THEN now() END,
    CASE WHEN status = 'processing' THEN 'w' || n % 9 END,
    CASE WHEN status = 'processing' THEN now() + interval '1 hour' END
  FROM generate_series(1, $1::int + 7 * $2::int) AS n CROSS JOIN LATERAL (
    SELECT CASE WHEN n <= $1 THEN 'completed' ELSE (ARRAY['pending', 'processing', 'retryable', 'paused', 'failed',
      'cancelled', 'expired'])[1 + (n - $1) / 8 % 7] END::job_status AS status) made`;

describe('a queue of a few jobs', () => {
  beforeEach(() => database.pool.query(empty));

  test('is counted exactly', async () => {
    await database.pool.query(fill, [100, 16]);
    const counts = await countJobs(database.pool);
    expect(counts.jobs).toHaveLength(24);
    expect(countOf(counts, 'completed')).toEqual({
      status: 'completed',
      kind: 'crawl',
      count: 75,
      precision: 'exact',
    });
    expect(countOf(counts, 'completed', 'visit')).toMatchObject({ count: 25 });
    for (const status of ['processing', 'retryable', 'paused', 'failed', 'cancelled', 'expired']) {
      expect(countOf(counts, status)).toMatchObject({ count: 12, precision: 'exact' });
    }
    expect(counts.retries.exact).toBe(true);
    expect(counts.retries.data.map(({ retry_count }) => retry_count)).toEqual([0, 1, 2]);
    expect(counts.retries.data.reduce((sum, { count }) => sum + count, 0)).toBe(64);
    const own = await countOwnJobs(database.pool, 'alice');
    expect(own.jobs.reduce((sum, { count }) => sum + count, 0)).toBe(21);
    const local = await countOwnJobs(database.pool, 'local');
    expect(local.jobs.reduce((sum, { count }) => sum + count, 0)).toBe(212 - 21);
    expect((await countOwnJobs(database.pool, 'nobody')).jobs.every(({ count }) => count === 0)).toBe(true);
  });

  test('tells what is pending over the crawls that run, and of no others', async () => {
    await database.pool.query(fill, [10, 8]);
    await database.pool.query(
      'INSERT INTO crawl_states (job_id, total_pending) SELECT id, 5 FROM crawl_jobs',
    );
    expect(await countPendingPages(database.pool, undefined)).toBe(8 * 5);
    expect(await countPendingPages(database.pool, 'alice')).toBeLessThan(8 * 5);
    expect(await countPendingPages(database.pool, 'nobody')).toBe(0);
  });

  test('shows what is stuck, what is new, and who is in trouble', async () => {
    await database.pool.query(fill, [30, 8]);
    await database.pool.query(
      `UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 min' WHERE status = 'processing' AND kind = 'visit'`,
    );
    await database.pool.query(
      `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, running_jobs, last_seen)
       VALUES ('a', 'm', 'b', 1, 's', '1', 4, 3, now()), ('b', 'm', 'b', 2, 's', '1', 4, 1, now() - interval '1 day');
       INSERT INTO sources (id, name, enabled, configured)
       VALUES ('shop', 'shop', false, true), ('host:a.test', 'a.test', true, false);
       UPDATE sources SET pause_reason = 'failures', paused_until = now() WHERE id = 'host:a.test';
       INSERT INTO crawl_policies (kind, url, enabled, failure_count, next_run_at, user_id)
       VALUES ('crawl', 'https://a.test/', true, 2, now() - interval '1 s', 'alice'),
         ('crawl', 'https://b.test/', true, 0, now() + interval '1 day', 'local'),
         ('crawl', 'https://c.test/', false, 1, now(), 'local');
       INSERT INTO bots (bot_id, user_id, last_seen_at) VALUES ('b1', 'alice', now()), ('b2', 'local', NULL);
       INSERT INTO bot_hours (user_id, bot_id, hour, pulls, jobs_pulled, jobs_succeeded, jobs_failed)
       VALUES ('alice', 'b1', date_trunc('hour', now()), 3, 30, 18, 6),
         ('alice', 'b1', date_trunc('hour', now()) - interval '30 hours', 3, 30, 0, 30)`,
    );
    const all = await newReader().read(undefined);
    expect(all.stuck).toMatchObject({ count: 2, precision: 'exact' });
    expect(all.stuck.data).toHaveLength(2);
    expect(all.recent_jobs).toHaveLength(20);
    expect(all.recent_jobs[0]).toMatchObject({ url: 'https://example.com/' });
    expect(all.workers).toMatchObject({
      alive: 1,
      silent: 1,
      running_jobs: 3,
      max_jobs: 4,
      in_trouble: [{ id: 'b' }],
    });
    expect(all.sources).toMatchObject({
      blocked: { count: 2, precision: 'exact' },
      in_trouble: [{ id: 'host:a.test', breaker: 'half_open' }, { id: 'shop' }],
    });
    const one = { count: 1, precision: 'exact' };
    expect(all.policies).toEqual({ enabled: { ...one, count: 2 }, disabled: one, due: one, failing: one });
    expect(all.bots).toMatchObject({ active: 1, total: 2, success_rate: 0.75 });
    expect(all.bots.hours).toHaveLength(24);
    expect(all.bots.hours.at(-1)).toMatchObject({ pulls: 3, jobs_pulled: 30 });
    const own = await newReader().read('alice');
    expect(own.recent_jobs.every(({ user_id }) => user_id === 'alice')).toBe(true);
    expect(own.workers).toMatchObject({ alive: 1, in_trouble: [] });
    expect(own.sources.in_trouble).toMatchObject([{ id: 'shop', config: null }]);
    expect(own.policies).toMatchObject({ enabled: one, disabled: { count: 0 } });
    expect((await newReader().read('bob')).bots).toMatchObject({ total: 0, success_rate: null });
  });

  test('is asked about once for all who ask at the same time', async () => {
    const reader = newReader();
    const [first, second] = await Promise.all([reader.read(undefined), reader.read(undefined)]);
    expect(second).toBe(first);
    expect(await reader.read('alice')).not.toBe(first);
  });
});

describe('the throughput of the last hour', () => {
  beforeEach(() => database.pool.query(empty));

  test('counts what happened, by the minute', async () => {
    for (let n = 0; n < 3; n++) await enqueueJob(database.pool, crawl({ user_id: 'alice' }));
    const held = await claimJobs(database.pool, { lanes: [crawlLane], limit: 2, workerId: 'w1' });
    await completeJobs(database.pool, held.slice(0, 1), actor);
    await database.pool.query(
      `INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, at)
       SELECT gen_random_uuid(), 1, 'crash', 'processing', to_status::job_status, 1, 'x', now() - ago
       FROM (VALUES ('failed', interval '10 min'), ('pending', '10 min'), ('pending', '10 min'), ('failed', '70 min'))
         AS event (to_status, ago)`,
    );
    const throughput = new Throughput(database.pool);
    const { minutes, complete } = await throughput.read();
    expect([minutes.length, complete]).toEqual([60, true]);
    const sum = (name: 'created' | 'started' | 'completed' | 'failed' | 'retried') =>
      minutes.reduce((total, minute) => total + minute[name], 0);
    expect([sum('created'), sum('started'), sum('completed'), sum('failed'), sum('retried')]).toEqual([
      3, 2, 1, 1, 2,
    ]);
    const gaps = minutes
      .slice(1)
      .map(({ minute }, index) => minute.getTime() - (minutes[index]?.minute.getTime() ?? 0));
    expect(new Set(gaps)).toEqual(new Set([60_000]));
    expect((await throughput.read()).minutes.find(({ failed }) => failed > 0)).toMatchObject({
      failed: 1,
      retried: 2,
    });
    const own = await newReader().read('alice');
    const ownMinutes = own.throughput.minutes.filter(({ created }) => created > 0);
    expect(ownMinutes.reduce((total, { created }) => total + created, 0)).toBe(3);
    expect(own.throughput.minutes).toHaveLength(60);
  });

  test('tells by how many the unfinished jobs grew or shrank, however they came and went', async () => {
    await database.pool.query(
      `INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, at)
       SELECT gen_random_uuid(), 1, transition::job_transition, from_status::job_status, to_status::job_status, 1, 'x',
         now() - make_interval(mins => ago)
       FROM (VALUES ('enqueue', NULL, 'pending', 40), ('enqueue', NULL, 'pending', 40), ('claim', 'pending', 'processing', 40),
         ('cancel', 'pending', 'cancelled', 30), ('cancel', 'processing', 'processing', 30), ('complete', 'processing', 'completed', 30),
         ('retryLater', 'processing', 'retryable', 20), ('pause', 'pending', 'paused', 20), ('retry', 'cancelled', 'pending', 20),
         ('recover', 'processing', 'expired', 10), ('recover', 'expired', 'pending', 10), ('expire', 'processing', 'expired', 10))
         AS event (transition, from_status, to_status, ago)`,
    );
    const { minutes } = await new Throughput(database.pool).read();
    expect(minutes.map(({ more }) => more).filter((more) => more !== 0)).toEqual([2, -2, 1, -1]);
    const [first] = await Promise.all(
      ['alice', 'alice'].map((user_id) => enqueueJob(database.pool, crawl({ user_id }))),
    );
    await database.pool.query(
      `UPDATE crawl_jobs SET status = 'cancelled', completed_at = now() WHERE id = $1`,
      [first?.job.id],
    );
    const own = await newReader().read('alice');
    expect(own.throughput.minutes.reduce((sum, { more }) => sum + more, 0)).toBe(1);
  });

  test('of a busy hour is counted a part at a time until it is whole, and estimated where it is too full', async () => {
    // 700 a minute all hour long, and one minute of 30,000.
    await database.pool.query(
      `INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, at)
       SELECT gen_random_uuid(), 1, 'enqueue', 'pending', 0, 'x', at FROM (
         SELECT date_trunc('minute', now()) - make_interval(secs => n * 60.0 / 700 + 0.01)
         FROM generate_series(1, 700 * 58) AS n
         UNION ALL
         SELECT date_trunc('minute', now()) - interval '30 min' + make_interval(secs => n * 60.0 / 30000)
         FROM generate_series(1, 29999) AS n
       ) event (at)`,
    );
    const throughput = new Throughput(database.pool);
    let reads = 1;
    let answer = await throughput.read();
    expect(answer.complete).toBe(false);
    for (; !answer.complete && reads < 50; reads++) answer = await throughput.read();
    expect(answer.complete).toBe(true);
    const full = answer.minutes.filter(({ precision }) => precision === 'estimate');
    expect(full).toHaveLength(1);
    expect(full[0]?.created).toBeGreaterThan(27_000);
    expect(full[0]?.created).toBeLessThan(34_000);
    const others = answer.minutes.filter(({ precision, created }) => precision === 'exact' && created > 0);
    expect(others.length).toBeGreaterThan(55);
    expect(others.slice(2, -2).every(({ created }) => created >= 690 && created <= 710)).toBe(true);
  });
});

describe('a table full of jobs', () => {
  const full = process.env.HOLDFAST_TEST_FULL === '1';
  const [finished, others] = full ? [1_000_000, 20_000] : [200_000, 16_000];
  let client: PoolClient;
  beforeAll(async () => {
    await database.pool.query(empty);
    client = await database.pool.connect();
    await client.query('SET statement_timeout = 0');
    await client.query(fill, [finished, others]);
    await client.query(
      `INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, at)
       SELECT id, 1, 'enqueue', 'pending', 0, 'x', now() - make_interval(mins => 5)
       FROM crawl_jobs WHERE id < uuid_v7()`,
    );
    await client.query(
      "INSERT INTO crawl_states (job_id, total_pending) SELECT id, 1 FROM crawl_jobs WHERE kind = 'crawl'",
    );
    for (const table of ['crawl_jobs', 'job_events', 'crawl_states'])
      await client.query(`VACUUM ANALYZE ${table}`);
  }, 300_000);
  afterAll(() => client.release(true));

  test('is counted up to a limit, and what no index counts is estimated', async () => {
    const { jobs, retries } = await countJobs(database.pool);
    expect(countOf({ jobs }, 'failed')).toMatchObject({ precision: 'at_least' });
    const failed = jobs
      .filter(({ status }) => status === 'failed')
      .reduce((sum, { count }) => sum + count, 0);
    expect(failed).toBe(10_001);
    expect(countOf({ jobs }, 'pending')).toMatchObject({ precision: 'at_least' });
    const completed = countOf({ jobs }, 'completed');
    expect(completed?.precision).toBe('estimate');
    expect(completed?.count).toBeGreaterThan(finished * 0.5);
    expect(completed?.count).toBeLessThan(finished);
    expect(retries.exact).toBe(false);
    expect(await countPendingPages(database.pool, undefined)).toBeGreaterThan(0);
  });

  const statements: [string, Statement<never>, unknown[], string, string[]][] = [
    ['newest', wholeStatement as Statement<never>, [], 'crawl_jobs', ['crawl_jobs_pkey']],
    [
      'branches',
      branchesStatement as Statement<never>,
      [],
      'crawl_jobs',
      ['crawl_jobs_processing', 'crawl_jobs_ready', 'crawl_jobs_set_aside', 'crawl_jobs_waiting'],
    ],
    [
      'retries',
      retriesStatement as Statement<never>,
      [],
      'crawl_jobs',
      [
        'crawl_jobs_pkey',
        'crawl_jobs_processing',
        'crawl_jobs_ready',
        'crawl_jobs_set_aside',
        'crawl_jobs_waiting',
      ],
    ],
    [
      'pending pages',
      pendingPagesStatement as Statement<never>,
      [null],
      'crawl_jobs',
      ['crawl_jobs_processing'],
    ],
    [
      'pending pages',
      pendingPagesStatement as Statement<never>,
      [null],
      'crawl_states',
      ['crawl_states_pkey'],
    ],
    [
      'stuck',
      stuckStatement as Statement<never>,
      [null],
      'crawl_jobs',
      ['crawl_jobs_pkey', 'crawl_jobs_processing'],
    ],
    ['recent', recentStatements.all as Statement<never>, [null], 'crawl_jobs', ['crawl_jobs_pkey']],
    [
      'own recent',
      recentStatements.owner as Statement<never>,
      ['alice'],
      'crawl_jobs',
      ['crawl_jobs_of_owner'],
    ],
    [
      'own counts',
      ownStatements.owner.count as Statement<never>,
      ['alice'],
      'crawl_jobs',
      ['crawl_jobs_of_owner'],
    ],
    [
      'own minutes',
      ownStatements.owner.minutes as Statement<never>,
      ['alice', '2026-01-01T00:00:00Z'],
      'crawl_jobs',
      ['crawl_jobs_of_owner'],
    ],
    [
      'local counts',
      ownStatements.local.count as Statement<never>,
      ['local'],
      'crawl_jobs',
      ['crawl_jobs_pkey'],
    ],
    [
      'minutes',
      minutesStatement as Statement<never>,
      ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
      'job_events',
      ['job_events_stream'],
    ],
  ];
  test.each(statements)(
    'the statement for %s goes along indexes',
    async (_, statement, values, table, expected) => {
      const paths = await accessPaths(client, statement, values, { table, generic: true });
      // Some read from the newest on, or an index of few: a limit or the index itself bounds them, no condition.
      expect(paths.map((path) => path.replace(', whole', ''))).toEqual(expected);
    },
  );
});
