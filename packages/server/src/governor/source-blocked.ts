import type { BlockedBy } from '../queue/jobs/waiting-jobs.ts';

/** A run whose sources are blocked for longer than this gives its job back instead of waiting. */
export const patienceMs = 30_000;

const maxSeconds = 3_600;

/** Why a run ends before its request: the source is blocked for longer than a lease should be held for it. */
export class SourceBlocked {
  readonly seconds: number;
  readonly by: BlockedBy;

  constructor(milliseconds: number, by: BlockedBy) {
    this.by = by;
    this.seconds = Math.min(Math.max(1, Math.ceil(milliseconds / 1000)), maxSeconds);
  }
}
