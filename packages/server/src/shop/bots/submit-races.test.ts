import { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BotFixture, brought, failed, leaseOf } from '../../../../../test/bot-fixture/bot-fixture.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { recoverJobs } from '../../queue/jobs/recover-jobs.ts';
import type { RequestedLease } from './bot-leases.ts';
import { extendLease } from './extend-lease.ts';
import type { Submission } from './record-submissions.ts';
import { submitWithin } from './submit-results.ts';

/*
 * Two sessions at one job: the second starts while the first has not ended its transaction, and waits for it or steps over
 * it. Whatever it is, the outcome must be that of the two in a row, or of the second alone if the first is undone.
 */
const bots = new BotFixture();
let first: pg.PoolClient;
let second: pg.PoolClient;
beforeAll(async () => {
  first = await bots.pool.connect();
  second = await bots.pool.connect();
});
afterAll(() => {
  first.release();
  second.release();
});

interface Step {
  readonly name: string;
  readonly act: (db: Queryable, job: { id: string; fence: number }) => Promise<unknown>;
  /** What it answers when another session has the job: it does not wait. */
  readonly skipped?: unknown;
}

const submit =
  (
    outcome: Submission['outcome'],
    lease: (job: { fence: number }) => Partial<RequestedLease> = () => ({}),
  ): Step['act'] =>
  async (db, job) => {
    const submission = { lease: leaseOf(job, lease(job)), outcome };
    const answer = (await submitWithin(db, [submission])).get(submission);
    return answer instanceof HoldfastError ? answer.code : answer;
  };
const byToken = ({ fence }: { fence: number }) => ({ token: fence });
const codeOr = (call: Promise<unknown>) =>
  call.catch((error: unknown) => {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  });

const steps: readonly Step[] = [
  { name: 'success', act: submit(brought) },
  { name: 'success by token', act: submit(brought, byToken) },
  { name: 'failure by token', act: submit(failed, byToken) },
  { name: 'success of another bot', act: submit(brought, () => ({ botId: 'other' })) },
  {
    name: 'sweep',
    act: async (db) => (await recoverJobs(db, 'watchdog:w1')).map(({ status }) => status),
    skipped: [],
  },
  {
    name: 'expire',
    act: async (db, { id }) => codeOr(actOnJob(db, 'expire', id).then(({ status }) => status)),
  },
  {
    name: 'cancel',
    act: async (db, { id }) => codeOr(actOnJob(db, 'cancel', id).then(({ status }) => status)),
  },
  {
    name: 'heartbeat',
    act: async (db, job) => codeOr(extendLease(db, leaseOf(job)).then(({ action }) => action)),
  },
];

async function stateOf(id: string): Promise<string> {
  const { rows } = await bots.pool.query(
    `SELECT status, fence, retry_count, worker_id, requested_action, error_code,
       (SELECT json_agg(json_build_array(transition, from_status, to_status, fence, actor) ORDER BY event_no)
        FROM job_events WHERE job_id = crawl_jobs.id) AS events,
       (SELECT json_agg(json_build_array(price, actor)) FROM crawl_results WHERE job_id = crawl_jobs.id) AS results,
       (SELECT json_agg(json_build_array(fence, http_status) ORDER BY fence) FROM bot_submissions
        WHERE job_id = crawl_jobs.id) AS submissions,
       (SELECT json_agg(json_build_array(jobs_succeeded, jobs_failed)) FROM bots) AS counters
     FROM crawl_jobs WHERE id = $1`,
    [id],
  );
  return JSON.stringify(rows[0]);
}

/** A job of its own, so that two runs of a pair can be compared but for its ids. */
async function prepare(late: boolean): Promise<{ id: string; fence: number }> {
  await bots.clear();
  const job = await bots.held();
  if (late) await bots.passSeconds(601);
  return job;
}

const withoutIds = (value: unknown) =>
  JSON.stringify(value).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');

async function isBlocked(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await bots.pool.query('SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked', [
    (client as pg.PoolClient & { processID: number }).processID,
  ]);
  return rows[0].blocked;
}

/** In a transaction, as the first one is. */
async function within(
  client: pg.PoolClient,
  step: Step,
  job: { id: string; fence: number },
): Promise<unknown> {
  await client.query('BEGIN');
  const answer = await step.act(client, job);
  await client.query('COMMIT');
  return answer;
}

async function concurrently(a: Step, b: Step, end: 'COMMIT' | 'ROLLBACK', late: boolean) {
  const job = await prepare(late);
  await first.query('BEGIN');
  const one = await a.act(first, job);
  let done = false;
  const started = within(second, b, job).finally(() => {
    done = true;
  });
  while (!done && !(await isBlocked(second)));
  await first.query(end);
  const two = await started;
  return { answers: withoutIds(end === 'COMMIT' ? [one, two] : [two]), state: await stateOf(job.id) };
}

async function serially(inOrder: readonly Step[], late: boolean) {
  const job = await prepare(late);
  const answers: unknown[] = [];
  for (const step of inOrder) answers.push(await within(first, step, job));
  return { answers: withoutIds(answers), state: await stateOf(job.id) };
}

describe.each([
  ['whose time is not over', false],
  ['whose time is over', true],
])('at a job with a lock %s', (_, late) => {
  describe.each(steps)('$name', (a) => {
    test.each(steps)('then $name', async (b) => {
      const met = await concurrently(a, b, 'COMMIT', late);
      const inARow = await serially([a, b], late);
      if (b.skipped !== undefined && met.answers !== inARow.answers) {
        const alone = await serially([a], late);
        expect(met.state).toBe(alone.state);
        expect(met.answers).toBe(`${alone.answers.slice(0, -1)},${JSON.stringify(b.skipped)}]`);
      } else expect(met).toEqual(inARow);
      const undone = await concurrently(a, b, 'ROLLBACK', late);
      const alone = await serially([b], late);
      if (b.skipped !== undefined && undone.answers !== alone.answers) {
        expect(undone.answers).toBe(JSON.stringify([b.skipped]));
      } else expect(undone).toEqual(alone);
    });
  });
});
