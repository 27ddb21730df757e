import type { Policy, PolicyRequest } from '@holdfast/contract';
import { beforeEach } from 'vitest';
import { QueueFixture } from '../../../../../../test/queue-fixture/queue-fixture.ts';
import { createPolicy } from '../create-policy.ts';
import { findPolicy } from '../find-policies.ts';
import { createDueJobs, type DueJob } from '../scheduler.ts';

export const scheduler = 'scheduler:w1';

/** A queue and policies for one test file, empty before each test. */
export class PolicyFixture extends QueueFixture {
  #count = 0;

  constructor() {
    super();
    beforeEach(() => this.pool.query('DELETE FROM crawl_policies'));
  }

  create(fields: Partial<PolicyRequest> = {}): Promise<Policy> {
    this.#count++;
    return createPolicy(this.pool, {
      kind: 'crawl',
      url: `https://example.com/${this.#count}`,
      ...fields,
    });
  }

  /** A due policy, with its job created. */
  async scheduled(fields: Partial<PolicyRequest> = {}): Promise<{ policy: Policy; job: DueJob }> {
    const policy = await this.create(fields);
    const [job] = await createDueJobs(this.pool, scheduler);
    if (job?.policy_id !== policy.id) throw new Error('the policy was not the one that was due');
    return { policy, job };
  }

  find(id: string): Promise<Policy> {
    return findPolicy(this.pool, id);
  }

  /** Makes the policy due at a time before those of its jobs and returns that time: no due time gets two jobs. */
  async makeDue(id: string, secondsAgo = 0): Promise<Date> {
    const { rows } = await this.pool.query<{ next_run_at: Date }>(
      `UPDATE crawl_policies SET next_run_at = least(
         date_trunc('milliseconds', clock_timestamp()) - make_interval(secs => $2),
         (SELECT date_trunc('milliseconds', min(scheduled_for)) - interval '1 ms' FROM crawl_jobs WHERE policy_id = $1))
       WHERE id = $1 RETURNING next_run_at`,
      [id, secondsAgo],
    );
    if (!rows[0]) throw new Error('there is no such policy');
    return rows[0].next_run_at;
  }

  /** Seconds from the database's now to the policy's next run. */
  async secondsToNextRun(id: string): Promise<number> {
    const { rows } = await this.pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM next_run_at - now())::float8 AS seconds FROM crawl_policies WHERE id = $1`,
      [id],
    );
    return rows[0]?.seconds ?? Number.NaN;
  }
}
