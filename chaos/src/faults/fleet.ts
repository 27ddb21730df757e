import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { ChaosRun } from '../fault.ts';
import type { ApiAnswer, ApiProcess } from '../processes/api-process.ts';
import { until } from '../until.ts';

export interface BotJob {
  readonly job_id: string;
  readonly lease_token: string;
}

/** Does something with the jobs that a bot pulled. */
type Habit = (bot: string, jobs: readonly BotJob[]) => Promise<void>;

const refusals = ['lock_expired', 'job_not_locked', 'not_assigned'];

/** Outside programs at the API, each with a habit of its own. */
export class Fleet {
  lostAnswers = 0;
  readonly #run: ChaosRun;
  readonly #pool: pg.Pool;
  readonly #api: ApiProcess;
  readonly #wasLate = new Set<string>();

  constructor(run: ChaosRun, pool: pg.Pool, api: ApiProcess) {
    this.#run = run;
    this.#pool = pool;
    this.#api = api;
  }

  async pull(bot_id: string, max_jobs = 10): Promise<BotJob[]> {
    return (await this.#pull(bot_id, max_jobs)).jobs;
  }

  /** A success, or an error that tells the bot what became of its lock. */
  async submit(
    bot_id: string,
    job: Partial<BotJob>,
    fields: object = { success: true, price: 9.99, currency: 'EUR' },
  ): Promise<ApiAnswer> {
    const answer = await this.#api.post('/api/crawl/submit/', { bot_id, ...job, ...fields });
    if (answer.status >= 400 && !refusals.includes(answer.body.error))
      this.#run.blame(`a submit was answered with ${answer.status} ${answer.body.error}`);
    return answer;
  }

  /** Works until nothing is left, neither to pull nor in the hands of others. */
  async work(bot: string, habit: Habit, losesAnswers: boolean): Promise<void> {
    for (;;) {
      const { jobs, skipped } = losesAnswers ? await this.#pullLosing(bot) : await this.#pull(bot, 10);
      if (jobs.length === 0 && skipped === 0) return;
      if (jobs.length === 0) await delay(100);
      await habit(bot, jobs);
    }
  }

  readonly steady: Habit = async (bot, jobs) => {
    for (const job of jobs) await this.submit(bot, job);
  };

  /** As the document's own clients do. */
  readonly withoutToken: Habit = async (bot, jobs) => {
    for (const { job_id } of jobs) await this.submit(bot, { job_id });
  };

  /** Both at once, and once more afterwards: one answer. */
  readonly twice: Habit = async (bot, jobs) => {
    for (const job of jobs) {
      const answers = await Promise.all([this.submit(bot, job), this.submit(bot, job)]);
      answers.push(await this.submit(bot, job));
      const distinct = new Set(answers.map(({ status, body }) => JSON.stringify([status, body])));
      if (distinct.size > 1) this.#run.blame(`a repeated submit was answered in ${distinct.size} ways`);
    }
  };

  readonly failing: Habit = async (bot, jobs) => {
    for (const [index, job] of jobs.entries()) {
      if (index % 4 > 0) await this.submit(bot, job);
      else await this.submit(bot, job, { success: false, error_msg: 'blocked' });
    }
  };

  readonly backwards: Habit = (bot, jobs) => this.steady(bot, jobs.toReversed());

  /** Once, it comes when its lock has expired and been swept: nothing of it may count. */
  readonly slow: Habit = async (bot, jobs) => {
    const [late, ...others] = jobs;
    if (!late || this.#wasLate.has(bot)) return await this.steady(bot, jobs);
    this.#wasLate.add(bot);
    await this.steady(bot, others);
    await until('the end of a lock', async () => {
      // Its own lock: the job may have been another bot's before, whose lock expired as well.
      const { rowCount } = await this.#pool.query(
        `SELECT FROM job_events WHERE job_id = $1 AND transition = 'recover' AND event_no > (
           SELECT max(event_no) FROM job_events WHERE job_id = $1 AND transition = 'claim' AND actor = 'bot:' || $2)`,
        [late.job_id, bot],
      );
      return (rowCount ?? 0) > 0;
    });
    const { status, body } = await this.submit(bot, late);
    if (body?.error !== 'lock_expired')
      this.#run.blame(`a late submit was answered with ${status} ${body?.error}`);
  };

  async #pull(
    bot_id: string,
    max_jobs: number,
    headers = {},
    signal?: AbortSignal,
  ): Promise<{ jobs: BotJob[]; skipped: number }> {
    const { status, body } = await this.#api.post(
      '/api/crawl/pull/',
      { bot_id, max_jobs },
      { headers, ...(signal && { signal }) },
    );
    if (status !== 200) throw new Error(`a pull was answered with ${status}: ${JSON.stringify(body)}`);
    return body.data;
  }

  /** Hangs up before the answer is there, and asks again with the same idempotency key until it hears one. */
  async #pullLosing(bot: string): Promise<{ jobs: BotJob[]; skipped: number }> {
    const headers = { 'idempotency-key': randomUUID() };
    for (let attempt = 0; ; attempt++) {
      const hangUp = new AbortController();
      if (attempt < 2) setTimeout(() => hangUp.abort(), this.#run.random.between(0, 10));
      try {
        return await this.#pull(bot, 10, headers, hangUp.signal);
      } catch (error) {
        if (!hangUp.signal.aborted) throw error;
        this.lostAnswers++;
      }
    }
  }
}
