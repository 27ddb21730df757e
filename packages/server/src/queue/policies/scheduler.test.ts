import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../base/database/create-pool.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { listEvents, listJobs, showJob } from '../jobs/find-jobs.ts';
import { Listener, Notifier } from '../jobs/notifications.ts';
import { deletePolicy, runPolicyNow, updatePolicy } from './change-policy.ts';
import { createDueJobs, createDueJobsStatement, startScheduler } from './scheduler.ts';
import { PolicyFixture, scheduler } from './testing/policy-fixture.ts';

const policies = new PolicyFixture();
const hour = 3600;
const inAnHour = () => new Date(Date.now() + hour * 1000).toISOString();
const makeJobs = (limit?: number) => createDueJobs(policies.pool, scheduler, limit);

describe('a due policy', () => {
  test('gets a job with all that the policy says, its event, and its next run', async () => {
    const policy = await policies.create({
      kind: 'visit',
      url: 'https://Shop.example:8443/item?id=1',
      executor: 'bot',
      frequency_hours: 6,
      priority: 7,
      lock_ttl_seconds: 90,
      max_retries: 2,
      retry_backoff_minutes: 4,
      timeout_minutes: 3,
      options: { tags: ['a'] },
      user_id: 'ann',
    });
    const due = await policies.makeDue(policy.id);
    const [made, ...others] = await makeJobs();
    expect(others).toEqual([]);
    expect(made).toMatchObject({ policy_id: policy.id, url: policy.url, scheduled_for: due });
    const { rows } = await policies.pool.query('SELECT * FROM crawl_jobs');
    expect(rows).toMatchObject([
      {
        id: made?.job_id,
        kind: 'visit',
        executor: 'bot',
        status: 'pending',
        payload: { url: 'https://shop.example:8443/item?id=1', tags: ['a'] },
        priority: 7,
        lock_ttl_seconds: 90,
        max_retries: 2,
        retry_backoff_seconds: 240,
        timeout_seconds: 180,
        host: 'shop.example:8443',
        user_id: 'ann',
        dedupe_key: `policy:${policy.id}`,
        policy_id: policy.id,
        scheduled_for: due,
        run_at: null,
      },
    ]);
    expect(await listEvents(policies.pool, made?.job_id ?? '')).toMatchObject([
      { event_no: 1, transition: 'enqueue', to_status: 'pending', actor: scheduler },
    ]);
    expect(await policies.secondsToNextRun(policy.id)).toBeCloseTo(6 * hour, -2);
    expect((await policies.find(policy.id)).live_job_id).toBe(made?.job_id);
  });

  test('gets a crawl without host and without deadline', async () => {
    await policies.scheduled({ options: { max_depth: 2 } });
    const { rows } = await policies.pool.query('SELECT host, timeout_seconds, payload FROM crawl_jobs');
    expect(rows).toMatchObject([
      { host: null, timeout_seconds: null, payload: { max_depth: 2, recrawl: true } },
    ]);
  });

  test('asks a site for all of it each time if it says so', async () => {
    await policies.scheduled({ options: { recrawl: false } });
    const { rows } = await policies.pool.query('SELECT payload FROM crawl_jobs');
    expect(rows).toMatchObject([{ payload: { recrawl: false } }]);
  });

  test('gets one job for all the times that were missed', async () => {
    const { id } = await policies.create({ frequency_hours: 1 });
    const due = await policies.makeDue(id, 100 * hour);
    expect(await makeJobs()).toMatchObject([{ scheduled_for: due }]);
    expect(await makeJobs()).toEqual([]);
    expect(await policies.secondsToNextRun(id)).toBeCloseTo(hour, -2);
  });

  test('is left alone while it is disabled, and runs at once when it is enabled again', async () => {
    const { id } = await policies.create({ enabled: false });
    expect(await makeJobs()).toEqual([]);
    await updatePolicy(policies.pool, id, { enabled: true });
    expect(await makeJobs()).toMatchObject([{ policy_id: id }]);
  });

  test('that is not due yet is left alone', async () => {
    await policies.create({ next_run_at: inAnHour() });
    expect(await makeJobs()).toEqual([]);
  });

  test('is not touched while it has a live job, whatever its status', async () => {
    const { policy, job } = await policies.scheduled();
    const due = await policies.makeDue(policy.id);
    const untouched = async () => {
      expect(await makeJobs()).toEqual([]);
      expect((await policies.find(policy.id)).next_run_at).toEqual(due);
    };
    await untouched();
    await actOnJob(policies.pool, 'pause', job.job_id);
    await untouched();
    await actOnJob(policies.pool, 'resume', job.job_id);
    await policies.claimOne();
    await untouched();
  });

  test('keeps no other waiting while it has a live job', async () => {
    const first = await policies.scheduled();
    const second = await policies.scheduled();
    const free = await policies.create();
    await policies.makeDue(first.policy.id, 2 * hour);
    await policies.makeDue(second.policy.id, hour);
    expect(await makeJobs(1)).toMatchObject([{ policy_id: free.id }]);
  });

  test('that waited longest comes first when not all can be made at once', async () => {
    const ids = [];
    for (const secondsAgo of [10, 30, 20]) {
      const { id } = await policies.create();
      await policies.makeDue(id, secondsAgo);
      ids.push(id);
    }
    expect((await makeJobs(2)).map((job) => job.policy_id).sort()).toEqual([ids[1], ids[2]].sort());
    expect(await makeJobs(2)).toMatchObject([{ policy_id: ids[0] }]);
  });

  test('passes a due time that had its job already, and is not stuck there', async () => {
    const { policy, job } = await policies.scheduled();
    await actOnJob(policies.pool, 'cancel', job.job_id);
    await policies.pool.query(
      'UPDATE crawl_policies SET next_run_at = scheduled_for FROM crawl_jobs WHERE policy_id = crawl_policies.id',
    );
    expect(await makeJobs()).toEqual([]);
    expect(await policies.secondsToNextRun(policy.id)).toBeCloseTo(24 * hour, -2);
    expect(await listJobs(policies.pool)).toHaveLength(1);
  });

  test("is not held up by another owner's job with the same dedupe key", async () => {
    const { id } = await policies.create();
    await policies.enqueueOne({ dedupe_key: `policy:${id}`, user_id: 'someone else' });
    expect(await makeJobs()).toMatchObject([{ policy_id: id }]);
  });
});

/** The statement itself, held up between its view of the rows and their locks; `meanwhile` others do something. */
async function makeJobsLate(meanwhile: () => Promise<unknown>): Promise<unknown[]> {
  const [gate, late] = [await policies.pool.connect(), await policies.pool.connect()];
  try {
    await gate.query('SELECT pg_advisory_lock(16)');
    const made = late.query({
      text: createDueJobsStatement.text.replace(
        'WHERE enabled',
        'WHERE (SELECT pg_advisory_xact_lock(16)) IS NOT NULL AND enabled',
      ),
      values: [500, 'scheduler:late'],
    });
    await vi.waitUntil(async () => {
      const { rows } = await gate.query(
        `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
      );
      return rows.length === 1;
    });
    await meanwhile();
    await gate.query('SELECT pg_advisory_unlock(16)');
    return (await made).rows;
  } finally {
    gate.release();
    late.release();
  }
}

describe('two schedulers', () => {
  test('do not wait for each other, and what one fails to commit the other makes', async () => {
    const { id } = await policies.create();
    const first = await policies.pool.connect();
    try {
      await first.query('BEGIN');
      expect(await createDueJobs(first, 'scheduler:first')).toHaveLength(1);
      expect(await makeJobs()).toEqual([]);
      await first.query('ROLLBACK');
    } finally {
      first.release();
    }
    expect(await makeJobs()).toMatchObject([{ policy_id: id }]);
  });

  test('make one job, also when one of them is late and knows only of the time before', async () => {
    const { id } = await policies.create();
    await policies.makeDue(id, 20);
    const late = await makeJobsLate(async () => {
      expect(await makeJobs()).toHaveLength(1);
      await policies.makeDue(id, 10);
    });
    expect(late).toEqual([]);
    expect(await policies.secondsToNextRun(id)).toBeLessThanOrEqual(-10);
    expect(await listJobs(policies.pool)).toHaveLength(1);
  });

  test('make no job beside one that somebody retries at the same moment, and leave its policy alone', async () => {
    const { policy, job } = await policies.scheduled();
    await actOnJob(policies.pool, 'cancel', job.job_id);
    const due = await policies.makeDue(policy.id, 10);
    expect(await makeJobsLate(() => actOnJob(policies.pool, 'retry', job.job_id))).toEqual([]);
    expect(await policies.find(policy.id)).toMatchObject({ next_run_at: due, live_job_id: job.job_id });
    expect(await listJobs(policies.pool)).toHaveLength(1);
  });

  test('make each of 200 due jobs once between the ten of them', async () => {
    await policies.pool.query(
      `INSERT INTO crawl_policies (kind, url) SELECT 'crawl', 'https://example.com/' || n
       FROM generate_series(1, 200) n`,
    );
    const made = await Promise.all(Array.from({ length: 10 }, () => makeJobs(30)));
    const rest = await makeJobs();
    const ids = [...made.flat(), ...rest].map((job) => job.policy_id);
    expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
    expect(made.filter((jobs) => jobs.length > 0).length).toBeGreaterThan(1);
  });
});

describe('run now', () => {
  test('makes a policy due that was not', async () => {
    const { id } = await policies.create({ next_run_at: inAnHour() });
    expect(await runPolicyNow(policies.pool, id)).toMatchObject({ id, live_job_id: null });
    expect(await makeJobs()).toMatchObject([{ policy_id: id }]);
  });

  test('names the live job that does the work already, and changes nothing', async () => {
    const { policy, job } = await policies.scheduled();
    const { next_run_at } = await policies.find(policy.id);
    expect(await runPolicyNow(policies.pool, policy.id)).toMatchObject({
      live_job_id: job.job_id,
      next_run_at,
    });
  });

  test('keeps the due time of one that is due already', async () => {
    const { id } = await policies.create();
    const due = await policies.makeDue(id, hour);
    await runPolicyNow(policies.pool, id);
    expect((await makeJobs())[0]?.scheduled_for).toEqual(due);
  });

  test('is refused for a disabled policy and for none', async () => {
    const { id } = await policies.create({ enabled: false, user_id: 'ann' });
    await expect(runPolicyNow(policies.pool, id)).rejects.toMatchObject({ code: 'policy_disabled' });
    await expect(runPolicyNow(policies.pool, 'x')).rejects.toMatchObject({ code: 'policy_not_found' });
    await expect(runPolicyNow(policies.pool, id, 'bob')).rejects.toMatchObject({ code: 'policy_not_found' });
  });
});

test('a deleted policy leaves its job to run to its end', async () => {
  const { policy, job } = await policies.scheduled();
  expect(await deletePolicy(policies.pool, policy.id)).toMatchObject({ live_job_id: job.job_id });
  const held = await policies.claimOne();
  expect(await showJob(policies.pool, held.id)).toMatchObject({ id: job.job_id, status: 'processing' });
  expect(await makeJobs()).toEqual([]);
});

const log = pino({ level: 'silent' });
const never = 86_400;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A scheduler with connections of its own, whose regular turn does not come unless it is told to. */
async function start(everySeconds = never) {
  const pool = createPool({ connectionString: policies.url }, log, { name: 'doomed', max: 1 });
  const listener = new Listener({ url: policies.url }, log);
  await listener.start();
  const onJobs = vi.fn(async () => {});
  const task = startScheduler({ db: pool, log, workerId: 'w1', everySeconds, listener, onJobs });
  cleanups.push(
    () => pool.end(),
    () => listener.stop(),
    () => task.stop(),
  );
  return { onJobs };
}

const hasJob = (id: string) =>
  vi.waitUntil(async () => (await policies.find(id)).live_job_id, { timeout: 15_000, interval: 10 });

describe('a scheduler', () => {
  test('makes at its start what fell due while there was none, and tells of it once it is committed', async () => {
    const { id } = await policies.create();
    const { onJobs } = await start();
    await vi.waitUntil(() => onJobs.mock.calls.length > 0, { timeout: 15_000, interval: 10 });
    expect((await policies.find(id)).live_job_id).not.toBeNull();
  });

  test('comes at once when it hears of a policy', async () => {
    await start();
    const { id } = await policies.create();
    await new Notifier(policies.pool).notify('policy');
    await hasJob(id);
  });

  test('comes by itself where nobody tells it', async () => {
    await start(0.05);
    await hasJob((await policies.create()).id);
  });

  test('makes more than fit into one statement', async () => {
    await policies.pool.query(
      `INSERT INTO crawl_policies (kind, url) SELECT 'crawl', 'https://example.com/' || n FROM generate_series(1, 1100) n`,
    );
    const { onJobs } = await start();
    await vi.waitUntil(() => onJobs.mock.calls.length > 0, { timeout: 15_000, interval: 10 });
    const { rows } = await policies.pool.query('SELECT count(*) AS count FROM crawl_jobs');
    expect(rows).toEqual([{ count: 1100 }]);
  });

  test('goes on when the database has thrown it out, and looks for what it missed meanwhile', async () => {
    const first = await policies.create();
    await start();
    await hasJob(first.id);
    const { id } = await policies.create();
    const { rows } = await policies.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name IN ('holdfast doomed', 'holdfast listener')`,
    );
    expect(rows).toHaveLength(2);
    await hasJob(id);
  });
});
