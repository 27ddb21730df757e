import type { MetricEvents } from '../../base/telemetry/metrics-channel.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { StopReason } from '../../queue/jobs/end-run.ts';

/** One crawl, or many short jobs at a time. */
export type RunnerKind = 'crawl' | 'pooled';

/**
 * Milliseconds on the monotonic clock that all processes of this machine share. A lease is sent as the moment when it ends:
 * a message that waited while both processes stood still must not start it anew.
 */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

export type ToRunner =
  | { readonly type: 'run'; readonly job: ClaimedJob; readonly leaseEndsAt: number }
  /** The lease was renewed: no request may start after this. */
  | { readonly type: 'lease'; readonly leaseEndsAt: number }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** For a pooled runner: one of many jobs, by its lease. */
  | { readonly type: 'runPooled'; readonly job: ClaimedJob; readonly leaseEndsAt: number }
  | {
      readonly type: 'pooledLease';
      readonly id: string;
      readonly fence: number;
      readonly leaseEndsAt: number;
    }
  | { readonly type: 'stopPooled'; readonly id: string; readonly fence: number; readonly reason: StopReason };

export type FromRunner =
  | { readonly type: 'ready' }
  /** Its first request is about to leave: the machine lets it work. */
  | { readonly type: 'asking' }
  /** The event loop works, and these checkpoints of a crawl were saved since the last one. */
  | {
      readonly type: 'tick';
      readonly rssBytes: number;
      readonly checkpoints: readonly MetricEvents['checkpoint'][];
    }
  /** The run has ended and its job is not ours any more. */
  | { readonly type: 'ended'; readonly status: string }
  /** One of a pooled runner's jobs has ended, and is not ours any more. */
  | { readonly type: 'pooledEnded'; readonly id: string; readonly fence: number; readonly status: string };
