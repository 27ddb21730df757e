import type { Pool } from 'pg';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { ClaimPositions } from '../../packages/server/src/queue/jobs/claim-positions.ts';
import { completeJobs } from '../../packages/server/src/queue/jobs/complete-jobs.ts';
import type { Lane } from '../../packages/server/src/queue/jobs/lane.ts';
import { fill } from './contenders/holdfast.ts';

const lanes: readonly Lane[] = [{ kind: 'visit', executor: 'builtin', leaseSeconds: 120 }];
const warmUps = 20;

/** Times claims as the ClaimLoop makes them: with remembered positions, and a full look every second. */
export class ClaimSampler {
  readonly samples: number[] = [];
  readonly #pool: Pool;
  readonly #limit: number;
  readonly #positions = new ClaimPositions(lanes);

  constructor(pool: Pool, limit: number) {
    this.#pool = pool;
    this.#limit = limit;
  }

  async warmUp(): Promise<void> {
    for (let claim = 0; claim < warmUps; claim++) await this.#claim();
  }

  async sample(): Promise<void> {
    this.samples.push(await this.#claim());
  }

  /** What it claims it first adds and then completes, outside the time: the depth stays as it is. */
  async #claim(): Promise<number> {
    const limit = this.#limit;
    await fill({ pool: this.#pool }, limit);
    const started = performance.now();
    const plan = this.#positions.plan(started);
    const jobs = await claimJobs(this.#pool, { lanes, limit, workerId: 'bench', ...plan });
    this.#positions.learn(plan, limit, jobs);
    const ms = performance.now() - started;
    if (jobs.length !== limit) throw new Error(`claimed ${jobs.length} of ${limit} jobs`);
    await completeJobs(this.#pool, jobs, 'supervisor:bench');
    return ms;
  }
}
