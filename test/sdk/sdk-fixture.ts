import { type ConnectionOptions, Holdfast, type Job, type NewJob } from '@holdfast/sdk';
import type { Pool } from 'pg';
import { afterEach } from 'vitest';
import { type ClaimedJob, claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { crawlLane } from '../queue-fixture/queue-fixture.ts';
import { FaultyLine } from './faulty-line.ts';

export const crawl = { kind: 'crawl', payload: { url: 'https://example.com/' } } satisfies NewJob;

/** The API, a line to it on which requests can go wrong, and clients at the end of that line. */
export class SdkFixture {
  readonly api = new ListeningApi();
  readonly line = new FaultyLine(() => this.api.address);

  constructor() {
    afterEach(() => this.line.mend());
  }

  get pool(): Pool {
    return this.api.pool;
  }

  async client(options: Partial<ConnectionOptions> = {}): Promise<Holdfast> {
    const apiKey = options.apiKey ?? (await this.api.key());
    return new Holdfast({ baseUrl: this.line.address, ...options, apiKey });
  }

  /** A worker takes the job. */
  async claim({ id }: Pick<Job, 'id'>): Promise<ClaimedJob> {
    const claimed = await claimJobs(this.pool, { lanes: [crawlLane], limit: 100, workerId: 'w1' });
    const job = claimed.find((one) => one.id === id);
    if (!job) throw new Error(`job ${id} was not there to be claimed`);
    return job;
  }

  /** A worker takes the job and completes it. */
  async complete(job: Pick<Job, 'id'>): Promise<void> {
    await completeJobs(this.pool, [await this.claim(job)], 'supervisor:w1');
  }
}
