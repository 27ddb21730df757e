import type { Configuration, Executor, JobKind } from '@holdfast/contract';

/** A kind of job and who runs it: what a claim chooses from. Who holds a job decides how long its lease is. */
export interface Lane {
  readonly kind: JobKind;
  readonly executor: Executor;
  /** For bots only the last resort: the job's lock_ttl_seconds and timeout_seconds come first. */
  readonly leaseSeconds: number;
}

export const botLeaseSeconds = 600;

export function builtinLane(kind: JobKind, configuration: Configuration): Lane {
  const { leaseSeconds, collectLeaseSeconds } = configuration;
  return { kind, executor: 'builtin', leaseSeconds: kind === 'collect' ? collectLeaseSeconds : leaseSeconds };
}

export const botLane: Lane = { kind: 'visit', executor: 'bot', leaseSeconds: botLeaseSeconds };
