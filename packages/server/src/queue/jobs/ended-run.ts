import type { HoldfastError } from '@holdfast/contract';
import { type HeldJob, sortById } from './held-job.ts';
import type { BlockedBy } from './waiting-jobs.ts';

/** A run that ended badly: which one, and why. */
export interface FailedRun extends HeldJob {
  readonly error: HoldfastError;
  /** The least time to wait before a retry, when the other side named one (Retry-After). */
  readonly retryAfterSeconds?: number;
  /** Where it failed: whoever resumes the source of that host has it tried again. */
  readonly blockedBy?: BlockedBy | undefined;
}

/** The columns of $1 to $5 for statements that end runs badly: ids, fences, codes, messages, seconds to wait. */
export function failedRunValues(runs: readonly FailedRun[]): unknown[] {
  const sorted = sortById(runs);
  return [
    sorted.map((run) => run.id),
    sorted.map((run) => run.fence),
    sorted.map((run) => run.error.code),
    sorted.map((run) => storableText(run.error.message)),
    sorted.map((run) => run.retryAfterSeconds ?? null),
  ];
}

const maxMessageLength = 2_000;

/** Messages carry what sites sent: PostgreSQL takes no NUL and no half surrogate pair, and an operator no novel. */
function storableText(text: string): string {
  return text.replaceAll('\0', '�').toWellFormed().slice(0, maxMessageLength).toWellFormed();
}
