import { HoldfastError, type JobStatus } from '@holdfast/contract';

/** The proof of a lease: a write that names an old fence changes nothing. */
export interface HeldJob {
  /** Lower case, as PostgreSQL writes it, so that text order equals UUID order. */
  readonly id: string;
  readonly fence: number;
  /** Names a runner of a crawl with several shards: the fence of the shard that it holds (ADR 38). */
  readonly ticket?: number;
}

export function isSameLease(a: HeldJob, b: HeldJob): boolean {
  return a.id === b.id && a.fence === b.fence && a.ticket === b.ticket;
}

/** SQL: when the lease of a running job ends. A job claimed by a plain UPDATE has no lease_expires_at; last_heartbeat renews it. */
export const leaseEnd = (job: string) =>
  `coalesce(${job}.lease_expires_at, ${job}.last_heartbeat + interval '2 minutes')`;

/** SQL condition: the lease was cut short because its worker died. No other lease ends at its last heartbeat. */
export const endsWithHeartbeat = 'lease_expires_at = last_heartbeat';

/** Sorts by id, so that two batches never deadlock. Of two leases of one job, the newer comes last. */
export function sortById<T extends HeldJob>(jobs: readonly T[]): T[] {
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.fence - b.fence));
}

/** The error of a holder whose fenced write matched no row. */
export function leaseLost({ id, fence, ticket }: HeldJob): HoldfastError {
  const runner = ticket === undefined ? '' : `, runner ${ticket}`;
  return new HoldfastError('lease_lost', `job ${id}, fence ${fence}${runner}`);
}

export interface ActedJob extends HeldJob {
  /** The actor of the event, where a batch has several holders. */
  readonly actor?: string;
}

/** Outcome of a holder's write: the job's new status, or `lost` if the lease was no longer its own. */
export type WriteOutcome = JobStatus | 'lost';

/** A lease under which a statement has written, with the new status of its job. */
export interface WrittenJob extends HeldJob {
  readonly status: JobStatus;
}

/** The outcome for each lease: those that a statement did not write under are lost. */
export function outcomes(written: readonly WrittenJob[]): LeaseAnswers<WriteOutcome> {
  return new LeaseAnswers<WriteOutcome>(
    written.map((job) => [job, job.status] as const),
    'lost',
  );
}

/**
 * The answer for each lease of a batch. Keyed by lease rather than job: a supervisor that lost a job and claimed it again holds two
 * leases of it until the old run has stopped.
 */
export class LeaseAnswers<Answer> {
  readonly #answers = new Map<string, Answer>();
  readonly #otherwise: Answer | undefined;

  /** `otherwise`: the answer for all other leases. */
  constructor(answers: Iterable<readonly [HeldJob, Answer]>, otherwise?: Answer) {
    this.#otherwise = otherwise;
    for (const [{ id, fence }, answer] of answers) this.#answers.set(`${id} ${fence}`, answer);
  }

  get({ id, fence }: Pick<HeldJob, 'id' | 'fence'>): Answer | undefined {
    if (this.#answers.size === 0) return this.#otherwise;
    return this.#answers.get(`${id} ${fence}`) ?? this.#otherwise;
  }
}
