import type { JobStatus } from '@holdfast/contract';

/** The proof of a lease: a write that names an old fence changes nothing. */
export interface HeldJob {
  /** In lower case, as PostgreSQL writes it: the order of the texts is that of the UUIDs. */
  readonly id: string;
  readonly fence: number;
}

export function isSameLease(a: HeldJob, b: HeldJob): boolean {
  return a.id === b.id && a.fence === b.fence;
}

export interface ActedJob extends HeldJob {
  /** Whom the event names: in a batch of several holders, each its own. */
  readonly actor?: string;
}

/** What became of a holder's write: the job's new status, or `lost` when the lease was not ours any more. */
export type WriteOutcome = JobStatus | 'lost';

/** Sorted by id, so that two batches never wait for each other's rows crosswise; of two leases of one job the newer comes last. */
export function sortById<T extends HeldJob>(jobs: readonly T[]): T[] {
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.fence - b.fence));
}

/**
 * What each lease was told. Asked by lease, not by job: a supervisor that lost a job and claimed it again names both
 * leases in one batch until the old run has stopped, and only one of them still counts.
 */
export class LeaseAnswers<Answer> {
  readonly #answers = new Map<string, Answer>();
  readonly #otherwise: Answer | undefined;

  /** `otherwise`: the answer to every other lease of the batch. */
  constructor(answers: Iterable<readonly [HeldJob, Answer]>, otherwise?: Answer) {
    this.#otherwise = otherwise;
    for (const [{ id, fence }, answer] of answers) this.#answers.set(`${id} ${fence}`, answer);
  }

  get({ id, fence }: HeldJob): Answer | undefined {
    if (this.#answers.size === 0) return this.#otherwise;
    return this.#answers.get(`${id} ${fence}`) ?? this.#otherwise;
  }
}

/** A lease that a statement has written under, and the status that its job has now. */
export interface WrittenJob extends HeldJob {
  readonly status: JobStatus;
}

/** A lease that was not written under is lost. */
export function outcomes(written: readonly WrittenJob[]): LeaseAnswers<WriteOutcome> {
  return new LeaseAnswers<WriteOutcome>(
    written.map((job) => [job, job.status] as const),
    'lost',
  );
}
