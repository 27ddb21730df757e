import { HoldfastError, type JobRequest } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { BlockedHostList } from '../../packages/server/src/shop/bots/blocked-hosts.ts';
import type { RequestedLease } from '../../packages/server/src/shop/bots/bot-leases.ts';
import type { BotCaller } from '../../packages/server/src/shop/bots/bot-registry.ts';
import type { ClaimedForBot, PulledJob } from '../../packages/server/src/shop/bots/claim-for-bot.ts';
import { type PullRequest, pullJobs } from '../../packages/server/src/shop/bots/pull-jobs.ts';
import type { Submission, SubmissionAnswer } from '../../packages/server/src/shop/bots/record-submissions.ts';
import { SubmissionBatcher } from '../../packages/server/src/shop/bots/submission-batcher.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

export const alice: BotCaller = { userId: 'alice', seesEveryOwner: false, boundTo: null };
export const operator: BotCaller = { userId: 'op', seesEveryOwner: true, boundTo: null };

export const visit = (url = 'https://shop.example/1', fields: Partial<JobRequest> = {}): JobRequest =>
  ({ kind: 'visit', executor: 'bot', payload: { url }, user_id: 'alice', ...fields }) as JobRequest;

export const brought: Submission['outcome'] = {
  success: true,
  result: { price: '99.99', currency: 'USD', title: null, inStock: null, parsedData: null, rawHtml: null },
};
export const failed: Submission['outcome'] = { success: false, error: 'Timeout: page did not load' };

const tables = [
  ...['crawl_results', 'bot_submissions', 'bot_pulls', 'bot_hours', 'bots'],
  ...['crawl_jobs', 'job_events', 'crawl_policies', 'sources'],
];

/** Bots on a database of their own for a test file, without jobs, bots and sources before each test. */
export class BotFixture {
  #database: TestDatabase | undefined;
  #submissions: SubmissionBatcher | undefined;

  constructor() {
    beforeAll(async () => {
      this.#database = await createTestDatabase({ max: 20 });
      this.#submissions = new SubmissionBatcher(this.pool, pino({ level: 'silent' }));
    });
    beforeEach(() => this.clear());
    afterAll(() => this.#database?.drop());
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database of this test file is not there yet');
    return this.#database.pool;
  }

  /** Deleting a few rows takes a tenth of the time that truncating takes. */
  async clear(): Promise<void> {
    await this.pool.query(tables.map((table) => `DELETE FROM ${table}`).join(';'));
  }

  /** Creates visits for bots; their ids, in order. */
  async enqueue(...requests: JobRequest[]): Promise<string[]> {
    return (await enqueueJobs(this.pool, requests)).map(({ job }) => job.id);
  }

  /** Without the second that a pause may go unnoticed. */
  pull(request: Partial<PullRequest> = {}, caller = alice): Promise<ClaimedForBot> {
    const blocked = new BlockedHostList(this.pool, 0);
    return pullJobs({ pool: this.pool, blocked }, caller, { botId: 'bot-001', maxJobs: 10, ...request });
  }

  async pulled(request: Partial<PullRequest> = {}, caller = alice): Promise<string[]> {
    return (await this.pull(request, caller)).jobs.map(({ url }) => url);
  }

  /** One visit, held by bot-001. */
  async held(fields: Partial<JobRequest> = {}): Promise<PulledJob> {
    await this.enqueue(visit('https://shop.example/1', fields));
    const { jobs } = await this.pull();
    if (!jobs[0]) throw new Error('nothing was pulled');
    return jobs[0];
  }

  submit(
    job: { id: string },
    lease: Partial<RequestedLease> = {},
    outcome: Submission['outcome'] = brought,
  ): Promise<SubmissionAnswer> {
    if (!this.#submissions) throw new Error('the database of this test file is not there yet');
    return this.#submissions.submit({ lease: leaseOf(job, lease), outcome });
  }

  /** Seconds go by for every lease and bot. */
  async passSeconds(seconds: number): Promise<void> {
    await this.pool.query(
      `UPDATE crawl_jobs SET lease_expires_at = lease_expires_at - $1::interval, started_at = started_at - $1::interval,
         run_at = run_at - $1::interval, next_retry_at = next_retry_at - $1::interval`,
      [`${seconds} seconds`],
    );
    await this.pool.query('UPDATE bots SET window_start = window_start - $1::interval', [
      `${seconds} seconds`,
    ]);
  }

  async count(table: 'crawl_results' | 'bot_submissions' | 'bot_pulls'): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    return rows[0]?.count ?? 0;
  }
}

export function leaseOf(job: { id: string }, lease: Partial<RequestedLease> = {}): RequestedLease {
  return { jobId: job.id, botId: 'bot-001', userId: 'alice', seesEveryOwner: false, token: null, ...lease };
}

/** The code of the error that a call ends in. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  }
  return 'no error';
}
