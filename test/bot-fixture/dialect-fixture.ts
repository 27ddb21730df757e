import { beforeEach } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ApiFixture } from '../api-fixture/api-fixture.ts';
import { visit } from './bot-fixture.ts';

export const success = { bot_id: 'bot-001', success: true, price: 99.99, currency: 'USD' };

/** The bots' API on a database of its own for a test file, without bots, jobs or results before each test. */
export class DialectFixture {
  readonly api = new ApiFixture();
  /** Has the scope of bots, and speaks for any of its owner. */
  key = '';

  constructor() {
    beforeEach(async () => {
      await this.api.pool.query(
        'DELETE FROM crawl_results; DELETE FROM bots; DELETE FROM bot_pulls; DELETE FROM bot_submissions',
      );
      this.key ||= await this.api.key({ scopes: ['bots'] });
    });
  }

  readonly post = (
    path: string,
    body: unknown,
    options: { key?: string | null; headers?: Record<string, string> } = {},
  ) =>
    this.api.call('POST', `/api/crawl/${path}`, {
      key: this.key,
      ...options,
      body,
      headers: { 'content-type': 'application/json', ...options.headers },
    });

  readonly enqueue = async (...requests: Parameters<typeof visit>[]) => {
    const enqueued = await enqueueJobs(
      this.api.pool,
      requests.map((request) => visit(...request)),
    );
    return enqueued.map(({ job }) => job.id);
  };

  readonly held = async (...request: Parameters<typeof visit>) => {
    await this.enqueue(request);
    const answer = await this.post('pull/', { bot_id: 'bot-001', max_jobs: 1 });
    return answer.json().data.jobs[0] as { job_id: string; lease_token: string };
  };

  readonly passSeconds = (seconds: number) =>
    this.api.pool.query(`UPDATE crawl_jobs SET lease_expires_at = lease_expires_at - $1 * interval '1 s'`, [
      seconds,
    ]);
}
