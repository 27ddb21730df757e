import { HoldfastError, type JobRequest } from '@holdfast/contract';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ClaimedJob, claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import type { Lane } from '../../packages/server/src/queue/jobs/lane.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

export const crawlLane: Lane = { kind: 'crawl', executor: 'builtin', leaseSeconds: 120 };
export const collectLane: Lane = { kind: 'collect', executor: 'builtin', leaseSeconds: 300 };
export const actor = 'supervisor:w1';
export const transient = new HoldfastError('connection_failed', 'refused');

export const crawl = (fields: Partial<JobRequest> = {}): JobRequest =>
  ({ kind: 'crawl', payload: { url: 'https://example.com/' }, ...fields }) as JobRequest;

/** A queue of its own for a test file, empty before each test. */
export class QueueFixture {
  #database: TestDatabase | undefined;

  constructor() {
    beforeAll(async () => {
      this.#database = await createTestDatabase();
    });
    beforeEach(() => this.pool.query('TRUNCATE crawl_jobs, job_events'));
    afterAll(() => this.#database?.drop());
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database of this test file is not there yet');
    return this.#database.pool;
  }

  get url(): string {
    return this.#database?.url ?? '';
  }

  async enqueueOne(fields: Partial<JobRequest> = {}) {
    return (await enqueueJob(this.pool, crawl(fields))).job;
  }

  async claimOne(lanes: Lane[] = [crawlLane], workerId = 'w1'): Promise<ClaimedJob> {
    const [job] = await claimJobs(this.pool, { lanes, limit: 1, workerId });
    if (!job) throw new Error('nothing to claim');
    return job;
  }

  async claimedOne(fields: Partial<JobRequest> = {}): Promise<ClaimedJob> {
    await this.enqueueOne(fields);
    return await this.claimOne();
  }

  /** Time passes: every moment that the rows know lies so much further back. */
  async passSeconds(seconds: number): Promise<void> {
    await this.pool.query(
      `UPDATE crawl_jobs SET run_at = run_at - $1::interval, next_retry_at = next_retry_at - $1::interval,
         started_at = started_at - $1::interval, lease_expires_at = lease_expires_at - $1::interval,
         completed_at = completed_at - $1::interval, created_at = created_at - $1::interval`,
      [`${seconds} seconds`],
    );
  }
}
