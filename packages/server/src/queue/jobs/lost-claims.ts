import type { JobKind } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from './held-job.ts';
import type { Lane } from './lane.ts';
import { releaseJobs } from './release-jobs.ts';

/** Only recent claims: those of an earlier worker with the same name are left to the watchdog. */
const claimedSinceStatement = statement<HeldJob>(
  'claimed-since',
  `
SELECT id, fence FROM crawl_jobs
WHERE status = 'processing' AND worker_id = $1 AND executor = 'builtin' AND kind = ANY ($2::job_kind[])
  AND started_at >= now() - make_interval(secs => $3) AND runners IS NULL`,
);

/** Round-trip allowance. */
const marginMs = 5_000;
/** A claim whose connection was cut keeps running on the server and may commit later. */
const lookForMs = 10_000;
const lookEveryMs = 1_000;

export interface LostClaimsOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly lanes: readonly Lane[];
  /** Whether this worker knows that it holds the job. */
  readonly holds: (job: HeldJob) => boolean;
}

/** Releases jobs whose claim was committed but whose answer was lost. Otherwise they would wait for their leases and burn a retry. */
export class LostClaims {
  readonly #options: LostClaimsOptions;
  #asked = Number.POSITIVE_INFINITY;
  #lookUntil = Number.NEGATIVE_INFINITY;
  #lookAt = 0;

  constructor(options: LostClaimsOptions) {
    this.#options = options;
  }

  /** A claim sent at this time got no answer. */
  add(asked: number): void {
    this.#asked = Math.min(this.#asked, asked);
    this.#lookUntil = performance.now() + lookForMs;
    this.#lookAt = 0;
  }

  /** Call only while no claim is in flight: its jobs would look lost. Resolves with the number of released jobs. */
  async giveBack(): Promise<number> {
    const now = performance.now();
    if (now < this.#lookAt || this.#asked === Number.POSITIVE_INFINITY) return 0;
    const { db, log, workerId, lanes, holds } = this.#options;
    const kinds: JobKind[] = lanes.map(({ kind }) => kind);
    const seconds = (now - this.#asked + marginMs) / 1000;
    const claimed = await run(db, claimedSinceStatement, [workerId, kinds, seconds]);
    const lost = claimed.filter((job) => !holds(job));
    if (lost.length > 0) {
      log.warn({ jobs: lost.length }, 'The answer to a claim was lost; returning its jobs to the queue');
      const reason = 'the answer to its claim was lost';
      await releaseJobs(
        db,
        lost.map((job) => ({ ...job, reason })),
        `supervisor:${workerId}`,
      );
    }
    if (now >= this.#lookUntil) this.#asked = Number.POSITIVE_INFINITY;
    this.#lookAt = now + lookEveryMs;
    return lost.length;
  }
}
