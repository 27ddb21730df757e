import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PeriodicTask, runPeriodically } from '../../packages/server/src/base/process/periodic-task.ts';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { sweepLeases } from '../../packages/server/src/queue/jobs/recover-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { visit } from '../bot-fixture/bot-fixture.ts';

/*
 * A fleet at one queue, over HTTP. Some bots die with jobs in their hands, some are too slow for their locks, some submit
 * twice, some lose the answers to their pulls, some report failures. Every job must end with one result all the same.
 */
const api = new ListeningApi();
/** More than all of them hold at once, so that most pull again. */
const jobCount = process.env.HOLDFAST_TEST_FULL === '1' ? 2_000 : 800;
const lockSeconds = 4;
const log = pino({ level: 'silent' });
let watchdog: PeriodicTask;
let key: string;

beforeAll(async () => {
  key = await api.key({ scopes: ['bots'] });
  watchdog = runPeriodically('The watchdog', 0.2, log, () => sweepLeases(api.pool, log, 'w1'));
});
afterAll(() => watchdog.stop());

interface Job {
  readonly job_id: string;
  readonly lease_token: string;
}

const post = (
  path: string,
  body: object,
  options: { signal?: AbortSignal; headers?: Record<string, string> } = {},
) => api.json(`/api/crawl/${path}/`, { method: 'POST', key, body, ...options });

async function pull(bot_id: string, max_jobs = 10): Promise<{ jobs: Job[]; skipped: number }> {
  const { status, body } = await post('pull', { bot_id, max_jobs });
  expect(status).toBe(200);
  return body.data;
}

const said = (bot_id: string, { job_id }: Job) => ({
  bot_id,
  job_id,
  success: true,
  price: 9.99,
  currency: 'EUR',
});

/** The answers that a submit may get, for a job that this bot has pulled. */
async function submit(
  body: object,
): Promise<{ status: number; body: { error?: string; data?: { status: string } } }> {
  const answer = await post('submit', body);
  if (answer.status >= 400)
    expect(['lock_expired', 'job_not_locked', 'not_assigned']).toContain(answer.body.error);
  return answer;
}

type Habit = (bot: string, job: Job) => Promise<unknown>;

const steady: Habit = (bot, job) => submit({ ...said(bot, job), lease_token: job.lease_token });

/** As the document's own clients do. */
const withoutToken: Habit = (bot, job) => submit(said(bot, job));

/** Both at once, and once more afterwards: one answer. */
const twice: Habit = async (bot, job) => {
  const body = { ...said(bot, job), lease_token: job.lease_token };
  const answers = await Promise.all([submit(body), submit(body)]);
  answers.push(await submit(body));
  expect(new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body]))).size).toBe(1);
};

/** Fails now and then, and says so twice. */
const failing: Habit = async (bot, job) => {
  if (Number.parseInt(job.job_id.slice(-2), 16) % 4 > 0) return steady(bot, job);
  const body = { bot_id: bot, ...job, success: false, error_msg: 'blocked' };
  const [first, second] = [await submit(body), await submit(body)];
  expect([second.status, second.body]).toEqual([first.status, first.body]);
};

/** Comes when its lock has expired and been swept: nothing of it may count. */
const slowOnce = (): Habit => {
  let isLate = false;
  return async (bot, job) => {
    if (isLate) return steady(bot, job);
    isLate = true;
    const swept = async () => {
      const { rows } = await api.pool.query(
        `SELECT FROM job_events WHERE job_id = $1 AND transition = 'recover' AND event_no >
           (SELECT max(event_no) FROM job_events WHERE job_id = $1 AND transition = 'claim' AND actor = $2) LIMIT 1`,
        [job.job_id, `bot:${bot}`],
      );
      return rows.length > 0;
    };
    while (!(await swept())) await delay(50);
    const answer = await submit({ ...said(bot, job), lease_token: job.lease_token });
    expect([answer.status, answer.body.error]).toEqual([400, 'lock_expired']);
  };
};

/** Works until nothing is left to pull and nothing is held by others. */
async function work(bot: string, habit: Habit, pullJobs = pull): Promise<void> {
  for (;;) {
    const { jobs, skipped } = await pullJobs(bot);
    if (jobs.length === 0 && skipped === 0) return;
    // Not sooner: while locks run out, 45 bots that ask ten times a second do nothing else.
    if (jobs.length === 0) await delay(500);
    for (const job of jobs) await habit(bot, job);
  }
}

/** Hangs up before the answer is there, and asks again with the same idempotency key until it hears one. */
async function pullLosingAnswers(bot_id: string): Promise<{ jobs: Job[]; skipped: number }> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  for (let attempt = 0; ; attempt++) {
    const hangUp = new AbortController();
    if (attempt < 2) setTimeout(() => hangUp.abort(), Math.random() * 10);
    try {
      const { body } = await post('pull', { bot_id, max_jobs: 10 }, { headers, signal: hangUp.signal });
      return body.data;
    } catch (error) {
      if (!hangUp.signal.aborted) throw error;
    }
  }
}

test(`fifty bots share ${jobCount} jobs, some dying, slow, saying things twice or losing answers: one result per job`, async () => {
  const requests = Array.from({ length: jobCount }, (_, n) =>
    visit(`https://shop${n % 7}.example/${n}`, { lock_ttl_seconds: lockSeconds, max_retries: 100 }),
  );
  await enqueueJobs(api.pool, requests);

  // The first five take ten each, one after the other, and die: each sees what those before it hold.
  const seen: number[] = [];
  for (let n = 0; n < 5; n++) seen.push((await pull(`dead-${n}`)).skipped);
  expect(seen).toEqual([0, 10, 20, 30, 40]);

  const fleet = Array.from({ length: 45 }, (_, n) => {
    if (n < 5) return work(`slow-${n}`, slowOnce());
    if (n < 15) return work(`twice-${n}`, twice);
    if (n < 25) return work(`losing-${n}`, steady, pullLosingAnswers);
    if (n < 35) return work(`failing-${n}`, failing);
    return work(`plain-${n}`, withoutToken);
  });
  await Promise.all(fleet);

  const { rows } = await api.pool.query(`
      SELECT (SELECT count(*) FROM crawl_jobs WHERE status = 'completed') AS completed,
        (SELECT count(*) FROM crawl_results) AS results,
        (SELECT count(DISTINCT job_id) FROM crawl_results) AS jobs_with_result,
        (SELECT count(*) FROM job_events WHERE transition = 'complete') AS completions,
        (SELECT count(*) FROM crawl_results result JOIN job_events event USING (job_id)
          WHERE event.transition = 'complete' AND event.actor = result.actor) AS by_their_holder,
        (SELECT count(*) FROM crawl_results WHERE actor LIKE 'bot:dead-%') AS by_the_dead,
        (SELECT count(*) FROM crawl_jobs WHERE status IN ('pending', 'processing', 'retryable')) AS stuck,
        (SELECT sum(jobs_succeeded) FROM bots) AS counted,
        (SELECT count(*) FROM job_events WHERE transition = 'recover' AND to_status = 'expired') >= 55 AS recovered`);
  expect(rows).toEqual([
    {
      completed: jobCount,
      results: jobCount,
      jobs_with_result: jobCount,
      completions: jobCount,
      by_their_holder: jobCount,
      by_the_dead: 0,
      stuck: 0,
      counted: String(jobCount),
      recovered: true,
    },
  ]);
  // No lease was handed out twice, whoever lost an answer.
  const { rows: leases } = await api.pool.query(`
      SELECT job_id, fence FROM bot_pulls CROSS JOIN LATERAL jsonb_to_recordset(jobs) AS job (id uuid, fence bigint)
      CROSS JOIN LATERAL (SELECT job.id AS job_id) named GROUP BY job_id, fence HAVING count(*) > 1`);
  expect(leases).toEqual([]);
}, 120_000);
