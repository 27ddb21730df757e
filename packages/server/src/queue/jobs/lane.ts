import type { Configuration, Executor, JobKind } from '@holdfast/contract';

/** A kind of job and who runs it. A claim reads lanes; the lane decides how long a lease lasts. */
export interface Lane {
  readonly kind: JobKind;
  readonly executor: Executor;
  /** For bots only a default: the job's lock_ttl_seconds and timeout_seconds come first. */
  readonly leaseSeconds: number;
}

export const botLeaseSeconds = 600;

export function builtinLane(kind: JobKind, configuration: Configuration): Lane {
  const { leaseSeconds, collectLeaseSeconds } = configuration;
  return { kind, executor: 'builtin', leaseSeconds: kind === 'collect' ? collectLeaseSeconds : leaseSeconds };
}

export const botLane: Lane = { kind: 'visit', executor: 'bot', leaseSeconds: botLeaseSeconds };

/** A range of the ready index: priorities from highest to lowest, jobs created since a moment (null: all). */
export interface ClaimRange {
  readonly kind: JobKind;
  readonly executor: Executor;
  readonly highest: number;
  readonly lowest: number;
  readonly since: Date | null;
}

/** Every priority of a lane, from the oldest job on. */
export function wholeLane({ kind, executor }: Pick<Lane, 'kind' | 'executor'>): ClaimRange {
  return { kind, executor, highest: 32_767, lowest: -32_768, since: null };
}
