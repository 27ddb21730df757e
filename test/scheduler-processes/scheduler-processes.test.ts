import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { HoldfastError } from '@holdfast/contract';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelJobs } from '../../packages/server/src/queue/jobs/cancel-jobs.ts';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { failJobs } from '../../packages/server/src/queue/jobs/fail-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { PolicyFixture } from '../../packages/server/src/queue/policies/testing/policy-fixture.ts';
import { bundleProgram } from '../bundle-program.ts';
import { actor, crawlLane } from '../queue-fixture/queue-fixture.ts';

const full = process.env.HOLDFAST_TEST_FULL === '1';
const [policyCount, dueTimeCount, schedulerCount] = [50, full ? 1000 : 300, 8];
const policies = new PolicyFixture();
const schedulers: Scheduler[] = [];
let program: string;

beforeAll(async () => {
  program = await bundleProgram('test/scheduler-processes/scheduler-program.ts');
});
afterEach(async () => {
  for (const scheduler of schedulers.splice(0)) await scheduler.kill();
});

let started = 0;

class Scheduler {
  readonly lines: string[] = [];
  readonly #process: ChildProcess;

  constructor() {
    this.#process = spawn(process.execPath, [program], {
      env: { ...process.env, DATABASE_URL: policies.url, WORKER_ID: `s${++started}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.#process.stdout)
      createInterface({ input: this.#process.stdout }).on('line', (line) =>
        this.lines.push(JSON.parse(line).msg),
      );
    schedulers.push(this);
  }

  get isReady(): boolean {
    return this.lines.includes('ready');
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

const until = (done: () => Promise<boolean> | boolean) =>
  vi.waitUntil(done, { timeout: 20_000, interval: 10 });
const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)];

/** One of them dies, in the midst of its work or not, and another takes its place. */
async function replaceOne(): Promise<void> {
  const doomed = oneOf(schedulers.filter((scheduler) => scheduler.isReady));
  if (!doomed) return;
  schedulers.splice(schedulers.indexOf(doomed), 1);
  await doomed.kill();
  new Scheduler();
}

/** The database throws all schedulers out, whatever they are doing. */
const cutConnections = () =>
  policies.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ '^holdfast (s\\d+|listener)$'`,
  );

/** Makes up to `limit` policies due that have no job, each at a time of its own. Answers with which and when. */
async function makeDue(limit: number): Promise<string[]> {
  const { rows } = await policies.pool.query<{ due: string }>(
    `UPDATE crawl_policies SET next_run_at = clock_timestamp() - random() * interval '1 minute'
     WHERE id = ANY (ARRAY(
       SELECT policy.id FROM crawl_policies policy
       WHERE next_run_at > now() AND NOT EXISTS (
         SELECT FROM crawl_jobs WHERE policy_id = policy.id AND status IN ('pending', 'processing'))
       ORDER BY random() LIMIT $1))
     RETURNING id || ' at ' || next_run_at AS due`,
    [limit],
  );
  return rows.map(({ due }) => due);
}

/** While a job is live, a due time is none of its own: the job's end sets the next one. */
const makeLiveOnesDue = (limit: number) =>
  policies.pool.query(
    `UPDATE crawl_policies SET next_run_at = clock_timestamp() - interval '1 minute'
     WHERE id = ANY (ARRAY(SELECT policy_id FROM crawl_jobs WHERE status = 'pending' LIMIT $1))`,
    [limit],
  );

/** Ends up to `limit` live jobs, in one of the ways in which jobs end. */
async function endJobs(limit: number): Promise<void> {
  const { pool } = policies;
  const held = await claimJobs(pool, { lanes: [crawlLane], limit, workerId: 'w1' });
  const error = new HoldfastError('page_refused', 'gone');
  for (const job of held) {
    const way = Math.random();
    if (way < 0.6) await completeJobs(pool, [job], actor);
    else if (way < 0.8) await failJobs(pool, [{ ...job, error }], actor);
    else {
      await cancelJobs(pool, [job.id], 'user:test');
      await failJobs(pool, [{ ...job, error }], actor);
    }
  }
}

const madeTimes = async () =>
  (
    await policies.pool.query<{ due: string }>(
      `SELECT policy_id || ' at ' || scheduled_for AS due FROM crawl_jobs`,
    )
  ).rows.map(({ due }) => due);

describe(`${schedulerCount} schedulers, some of which are always dying`, () => {
  test(`make one job for each of ${dueTimeCount} due times: none twice, none missed`, async () => {
    await policies.pool.query(
      `INSERT INTO crawl_policies (kind, url, frequency_hours, retry_backoff_minutes, next_run_at)
       SELECT 'crawl', 'https://example.com/' || n, 1000, 1440, now() + interval '1 day'
       FROM generate_series(1, $1) n`,
      [policyCount],
    );
    for (let n = 1; n <= schedulerCount; n++) new Scheduler();
    const notifier = new Notifier(policies.pool);
    const expected: string[] = [];
    let [kills, cuts] = [0, 0];
    for (let step = 1; expected.length < dueTimeCount; step++) {
      await until(() => schedulers.filter(({ isReady }) => isReady).length > schedulerCount / 2);
      const due = await makeDue(Math.min(15, dueTimeCount - expected.length));
      expected.push(...due);
      const woken = notifier.notify('policy');
      if (step % 8 === 0) cuts += (await cutConnections()).rows.length;
      else if (step % 2 === 0) {
        await replaceOne();
        kills++;
      }
      await woken;
      await endJobs(12);
      if (step % 3 === 0) {
        await makeLiveOnesDue(3);
        await endJobs(policyCount);
      }
    }
    await until(async () => new Set(await madeTimes()).size >= expected.length);
    // Time for a second job, if there were to be one: two more turns of every scheduler.
    await endJobs(policyCount);
    await new Promise((resolve) => setTimeout(resolve, 200));

    const made = await madeTimes();
    expect(expected.filter((due) => !made.includes(due))).toEqual([]);
    expect(made.toSorted()).toEqual(expected.toSorted());
    const { rows } = await policies.pool.query(
      `SELECT count(*) AS enqueued, count(DISTINCT job_id) AS jobs, count(DISTINCT actor) AS schedulers
       FROM job_events WHERE transition = 'enqueue'`,
    );
    expect(rows[0]).toMatchObject({ enqueued: dueTimeCount, jobs: dueTimeCount });
    expect(rows[0].schedulers).toBeGreaterThan(1);
    expect(kills).toBeGreaterThan(5);
    expect(cuts).toBeGreaterThan(0);
  }, 60_000);
});
