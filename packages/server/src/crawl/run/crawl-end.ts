import type { HoldfastError } from '@holdfast/contract';
import type { StopReason } from '../../queue/jobs/end-run.ts';
import type { BlockedBy } from '../../queue/jobs/waiting-jobs.ts';

/**
 * How a run ended, or the part of it that works on one shard.
 * finished  nothing is left to do; limit  a limit was reached; blocked  every remaining host is blocked;
 * stopped   as requested; lost  the lease is gone
 */
export type CrawlEnd =
  | { readonly how: 'finished' | 'limit' | 'lost' }
  | {
      readonly how: 'blocked';
      readonly waitMs: number;
      readonly byRobots: boolean;
      readonly by: BlockedBy;
      /** Pages of all runs so far. */
      readonly fetched: number;
    }
  | { readonly how: 'stopped'; readonly reason: StopReason }
  /** The site no longer accepts the sign-in. */
  | { readonly how: 'signed_out'; readonly error: HoldfastError };
