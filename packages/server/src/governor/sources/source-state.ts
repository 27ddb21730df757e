import type { PauseReason } from '@holdfast/contract';

/** What a worker has to know of a source: source_state in the migration. Moments are milliseconds of the database's clock. */
export interface SourceState {
  readonly source_id: string;
  readonly concurrency: number;
  /** Between two requests, over all workers; 0: as fast as the concurrency allows. */
  readonly interval_ms: number;
  /** How long after its time a slot may still be used. */
  readonly tolerance_ms: number;
  readonly paced_by: 'rate' | 'delay';
  /** Infinity: until an operator does something about it. */
  readonly paused_until_ms: number;
  readonly pause_reason: PauseReason | null;
  /** Failures in a row that count for HOLDFAST_BREAKER_FAILURES. */
  readonly failure_streak: number;
  /** URLs of crawls in a row that failed. */
  readonly failed_urls: number;
  readonly slowdown: number;
  /** Requests a minute that it is thought to take; null: it has refused nothing of late. */
  readonly pace_per_minute: number | null;
  /** When the database said so. */
  readonly now_ms: number;
}

export const stateColumns = 'state.*, epoch_ms(clock_timestamp()) AS now_ms';
