import { describe, expect, test } from 'vitest';
import {
  BotFixture,
  brought,
  codeOf,
  failed,
  leaseOf,
  operator,
  visit,
} from '../../../../../test/bot-fixture/bot-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { recoverJobs } from '../../queue/jobs/recover-jobs.ts';
import { foreignToken } from './bot-leases.ts';
import type { PulledJob } from './claim-for-bot.ts';
import { extendLease } from './extend-lease.ts';
import type { Submission } from './record-submissions.ts';

const bots = new BotFixture();
const data = async (answer: Promise<{ status: number; data: string }>) => {
  const { status, data } = await answer;
  return { http: status, ...JSON.parse(data) };
};
type Jobs = PulledJob[] & [PulledJob, PulledJob, PulledJob, PulledJob];
const sweep = () => recoverJobs(bots.pool, 'watchdog:w1');

describe('a success', () => {
  test('completes the job and stores its result, with an answer that has no float in it', async () => {
    const job = await bots.held();
    const result = {
      price: '0.30000000000000004',
      currency: 'EUR',
      title: 'Größe “L”',
      inStock: true,
      parsedData: '{"old": 129.90}',
      rawHtml: Buffer.from([1, 2, 3]),
    };
    const { status, data } = await bots.submit(job, {}, { success: true, result });
    const { rows } = await bots.pool.query(
      'SELECT id, job_id, user_id, url, price::text, currency, title, in_stock, parsed_data::text, raw_html, actor FROM crawl_results',
    );
    expect(rows).toEqual([
      {
        id: expect.any(String),
        job_id: job.id,
        user_id: 'alice',
        url: job.url,
        price: '0.30000000000000004',
        currency: 'EUR',
        title: 'Größe “L”',
        in_stock: true,
        parsed_data: '{"old": 129.90}',
        raw_html: Buffer.from([1, 2, 3]),
        actor: 'bot:bot-001',
      },
    ]);
    expect(status).toBe(201);
    expect(data).toBe(
      `{"result_id":"${rows[0].id}","job_id":"${job.id}","status":"done","price":0.30000000000000004,"currency":"EUR","policy_next_run":null}`,
    );
    expect(await showJob(bots.pool, job.id)).toMatchObject({ status: 'completed', progress_percentage: 100 });
    expect((await listEvents(bots.pool, job.id)).at(-1)).toMatchObject({
      transition: 'complete',
      actor: 'bot:bot-001',
      fence: 1,
    });
  });

  test('says when the policy of the job runs next, as the end of the job decided it', async () => {
    const job = await bots.held();
    const { rows } = await bots.pool.query(
      `INSERT INTO crawl_policies (kind, url, user_id, executor, frequency_hours, failure_count,
         timeout_minutes)
       VALUES ('visit', $1, 'alice', 'bot', 6, 4, 10) RETURNING id`,
      [job.url],
    );
    await bots.pool.query('UPDATE crawl_jobs SET policy_id = $1', [rows[0].id]);
    const { policy_next_run } = await data(bots.submit(job));
    const { rows: policies } = await bots.pool.query(
      'SELECT next_run_at, failure_count, extract(epoch FROM next_run_at - now()) / 3600 AS hours FROM crawl_policies',
    );
    expect(policy_next_run).toBe(`${policies[0].next_run_at.toISOString().slice(0, 19)}Z`);
    expect(Number(policies[0].hours)).toBeCloseTo(6, 1);
    expect(policies[0].failure_count).toBe(0);
    const { rows: results } = await bots.pool.query('SELECT policy_id FROM crawl_results');
    expect(results).toEqual([{ policy_id: rows[0].id }]);
  });

  test('is counted for its bot', async () => {
    await bots.submit(await bots.held());
    await bots.submit(await bots.held(), {}, failed);
    const { rows } = await bots.pool.query('SELECT jobs_succeeded, jobs_failed FROM bots');
    expect(rows).toEqual([{ jobs_succeeded: 1, jobs_failed: 1 }]);
    const { rows: hours } = await bots.pool.query(
      'SELECT sum(jobs_succeeded) AS good, sum(jobs_failed) AS bad FROM bot_hours',
    );
    expect(hours).toEqual([{ good: 1, bad: 1 }]);
  });
});

describe('a failure', () => {
  test('makes the job ready again at once, and fails it when its retries are spent', async () => {
    let job = await bots.held({ max_retries: 2 });
    for (const retry_count of [1, 2]) {
      expect(await data(bots.submit(job, {}, failed))).toEqual({
        http: 200,
        job_id: job.id,
        status: 'pending',
        retry_count,
        max_retries: 2,
        message: 'Job marked for retry',
      });
      const { jobs } = await bots.pull();
      expect(jobs).toMatchObject([{ id: job.id, retry_count, fence: retry_count + 1 }]);
      job = jobs[0] ?? job;
    }
    expect(await data(bots.submit(job, {}, failed))).toEqual({
      http: 200,
      job_id: job.id,
      status: 'failed',
      retry_count: 2,
      max_retries: 2,
      error: 'Timeout: page did not load',
      message: 'Retries exhausted',
    });
    expect(await showJob(bots.pool, job.id)).toMatchObject({
      status: 'failed',
      error_code: 'bot_failed',
      error_message: 'The bot reported a failure: Timeout: page did not load',
    });
    expect(await bots.count('crawl_results')).toBe(0);
  });

  test.each([
    ['pause', 'paused'],
    ['cancel', 'cancelled'],
  ] as const)('after a requested %s ends there and burns no retry', async (action, status) => {
    const job = await bots.held();
    await actOnJob(bots.pool, action, job.id);
    expect(await data(bots.submit(job, {}, failed))).toMatchObject({
      status,
      retry_count: 0,
      max_retries: 3,
    });
    expect(await showJob(bots.pool, job.id)).toMatchObject({
      status,
      retry_count: 0,
      requested_action: null,
    });
  });

  test('loses to a success that comes after a requested cancel', async () => {
    const job = await bots.held();
    await actOnJob(bots.pool, 'cancel', job.id);
    expect(await data(bots.submit(job))).toMatchObject({ status: 'done' });
    expect((await listEvents(bots.pool, job.id)).at(-1)?.reason).toBe('the request to cancel came too late');
  });
});

describe('a submit that is repeated', () => {
  test('with its token is told the same as the first time, whatever it says now', async () => {
    const job = await bots.held();
    const first = await bots.submit(job, { token: job.fence });
    expect(await bots.submit(job, { token: job.fence })).toEqual(first);
    expect(await bots.submit(job, { token: job.fence }, failed)).toEqual(first);
    expect(await bots.count('crawl_results')).toBe(1);
  });

  test('with the token of a failure is told the same, even while another bot has the job', async () => {
    const job = await bots.held();
    const first = await bots.submit(job, { token: job.fence }, failed);
    await bots.pull({ botId: 'other' });
    expect(await bots.submit(job, { token: job.fence }, failed)).toEqual(first);
    expect(await bots.submit(job, { token: job.fence })).toEqual(first);
    expect(await showJob(bots.pool, job.id)).toMatchObject({
      status: 'processing',
      worker_id: 'other',
      retry_count: 1,
    });
    expect(await bots.count('crawl_results')).toBe(0);
  });

  test('at the same moment is one submit', async () => {
    const job = await bots.held();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => bots.submit(job, { token: job.fence })),
    );
    expect(new Set(answers.map(({ data }) => data)).size).toBe(1);
    expect(await bots.count('crawl_results')).toBe(1);
    const { rows } = await bots.pool.query('SELECT jobs_succeeded FROM bots');
    expect(rows).toEqual([{ jobs_succeeded: 1 }]);
  });

  test('without a token finds the job not locked any more', async () => {
    const job = await bots.held();
    await bots.submit(job);
    expect(await codeOf(bots.submit(job))).toBe('job_not_locked');
  });
});

describe('a submit is refused', () => {
  test('of a job that is not there, or not to be seen', async () => {
    const job = await bots.held();
    expect(await codeOf(bots.submit({ id: '01890000-0000-7000-8000-000000000000' }))).toBe('job_not_found');
    expect(await codeOf(bots.submit(job, { userId: 'bob' }))).toBe('job_not_found');
    expect(await codeOf(bots.submit(job, { userId: 'op', seesEveryOwner: true }))).toBe('no error');
  });

  test('of a job that nobody holds', async () => {
    const [id = ''] = await bots.enqueue(visit());
    expect(await codeOf(bots.submit({ id }))).toBe('job_not_locked');
  });

  test('of a job that another holds', async () => {
    const job = await bots.held();
    expect(await codeOf(bots.submit(job, { botId: 'other' }))).toBe('not_assigned');
    expect(await codeOf(bots.submit(job, { botId: 'other', token: foreignToken }))).toBe('not_assigned');
  });

  test('of a job that one of our own workers holds under the same name', async () => {
    const job = await bots.held();
    await bots.pool.query(`UPDATE crawl_jobs SET executor = 'builtin'`);
    expect(await codeOf(bots.submit(job))).toBe('not_assigned');
    expect(await codeOf(bots.submit(job, { token: job.fence }))).toBe('lock_expired');
  });

  test('when the time of the lock is over, before and after the sweep', async () => {
    const job = await bots.held();
    await bots.passSeconds(601);
    expect(await codeOf(bots.submit(job))).toBe('lock_expired');
    expect(await codeOf(bots.submit(job, { token: job.fence }))).toBe('lock_expired');
    expect(await sweep()).toMatchObject([{ id: job.id, status: 'pending' }]);
    expect(await codeOf(bots.submit(job))).toBe('lock_expired');
    expect(await codeOf(bots.submit(job, { token: job.fence }))).toBe('lock_expired');
    expect(await codeOf(extendLease(bots.pool, leaseOf(job)))).toBe('lock_expired');
    await bots.pull({ botId: 'other' });
    expect(await codeOf(bots.submit(job))).toBe('not_assigned');
    expect(await codeOf(bots.submit(job, { token: job.fence }))).toBe('lock_expired');
    expect(await bots.count('crawl_results')).toBe(0);
  });

  test('without a token, and somebody else held the job since, whatever became of it', async () => {
    const job = await bots.held();
    await bots.passSeconds(601);
    await sweep();
    const [again] = (await bots.pull({ botId: 'other' })).jobs;
    await bots.submit(again ?? job, { botId: 'other' }, failed);
    expect(await codeOf(bots.submit(job))).toBe('job_not_locked');
    expect(await codeOf(extendLease(bots.pool, leaseOf(job)))).toBe('job_not_locked');
  });

  test('without a token, and its last retry expired, or an operator took the lock away', async () => {
    const last = await bots.held({ max_retries: 0 });
    await bots.passSeconds(601);
    expect(await sweep()).toMatchObject([{ id: last.id, status: 'expired' }]);
    expect(await codeOf(bots.submit(last))).toBe('lock_expired');
    const taken = await bots.held();
    await actOnJob(bots.pool, 'resetLock', taken.id);
    expect(await codeOf(bots.submit(taken))).toBe('lock_expired');
    expect(await bots.count('crawl_results')).toBe(0);
  });

  test('with an old token of its own bot, which has the job again', async () => {
    const old = await bots.held();
    await bots.passSeconds(601);
    await sweep();
    const [job] = (await bots.pull()).jobs;
    expect(job).toMatchObject({ id: old.id, fence: 2 });
    expect(await codeOf(bots.submit(old, { token: old.fence }))).toBe('lock_expired');
    expect(await codeOf(bots.submit(old, { token: foreignToken }))).toBe('not_assigned');
    expect(await codeOf(bots.submit(old, { token: 2 }))).toBe('no error');
  });

  test('of a bot that is disabled', async () => {
    const job = await bots.held();
    await bots.pool.query('UPDATE bots SET enabled = false');
    expect(await codeOf(bots.submit(job))).toBe('bot_not_allowed');
    expect(await codeOf(extendLease(bots.pool, leaseOf(job)))).toBe('bot_not_allowed');
  });
});

describe('of submits that go together', () => {
  test('each is answered for itself', async () => {
    await bots.enqueue(...[1, 2, 3, 4].map((n) => visit(`https://a.example/${n}`)));
    const [one, two, three, four] = (await bots.pull()).jobs as Jobs;
    const answers = await Promise.all([
      codeOf(bots.submit(one)),
      codeOf(bots.submit(two, { botId: 'other' })),
      codeOf(bots.submit(three, {}, failed)),
      codeOf(bots.submit(four, { userId: 'bob' })),
      codeOf(bots.submit(one)),
    ]);
    expect(answers).toEqual(['no error', 'not_assigned', 'no error', 'job_not_found', 'job_not_locked']);
    expect(await bots.count('crawl_results')).toBe(1);
  });

  test('one that the database cannot store does not harm the others', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2'));
    const [one, two] = (await bots.pull()).jobs as Jobs;
    const broken: Submission['outcome'] = {
      success: true,
      result: { ...(brought as Extract<typeof brought, { success: true }>).result, parsedData: '{"broken"' },
    };
    const answers = await Promise.allSettled([bots.submit(one, {}, broken), bots.submit(two)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await showJob(bots.pool, one.id)).toMatchObject({ status: 'processing' });
    expect(await bots.count('crawl_results')).toBe(1);
  });

  test('one that waits for a locked job does not hold up the others for long', async () => {
    await bots.enqueue(visit('https://a.example/1'), visit('https://a.example/2'));
    const [one, two] = (await bots.pull()).jobs as Jobs;
    const frozen = await bots.pool.connect();
    await frozen.query('BEGIN');
    await frozen.query('SELECT FROM crawl_jobs WHERE id = $1 FOR UPDATE', [one.id]);
    const waiting = bots.submit(one);
    await bots.submit(two);
    await frozen.query('ROLLBACK');
    frozen.release();
    expect(await waiting).toMatchObject({ status: 201 });
  });
});

test('a bot of an operator runs jobs of every owner', async () => {
  await bots.enqueue(visit('https://a.example/', { user_id: 'bob' }));
  const [job] = (await bots.pull({ botId: 'o' }, operator)).jobs;
  await bots.submit(job ?? { id: '' }, { botId: 'o', userId: 'op', seesEveryOwner: true });
  const { rows } = await bots.pool.query('SELECT user_id, actor FROM crawl_results');
  expect(rows).toEqual([{ user_id: 'bob', actor: 'bot:o' }]);
});
