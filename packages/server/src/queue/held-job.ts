import type { JobStatus } from '@holdfast/contract';

/** The proof of a lease: a write that names an old fence changes nothing. */
export interface HeldJob {
  readonly id: string;
  readonly fence: number;
}

/** What became of a holder's write: the job's new status, or `lost` when the lease was not ours any more. */
export type WriteOutcome = JobStatus | 'lost';

/** Sorted by id, so that two batches never wait for each other's rows crosswise. */
export function sortById<T extends HeldJob>(jobs: readonly T[]): T[] {
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

export function outcomes(held: readonly HeldJob[], written: { id: string; status: JobStatus }[]) {
  const statusOf = new Map(written.map((row) => [row.id, row.status]));
  return new Map<string, WriteOutcome>(held.map(({ id }) => [id, statusOf.get(id) ?? 'lost']));
}
