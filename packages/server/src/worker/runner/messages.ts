import type { MetricEvents } from '../../base/telemetry/metrics-channel.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { StopReason } from '../../queue/jobs/end-run.ts';

/** One crawl, or many short jobs at a time. */
export type RunnerKind = 'crawl' | 'pooled';

/**
 * Milliseconds by the monotonic clock that all processes of this machine share. A lease is sent as the moment it ends, so that a message
 * that waited while both processes stood still does not extend it.
 */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

export type ToRunner =
  | { readonly type: 'run'; readonly job: ClaimedJob; readonly leaseEndsAt: number }
  /** The lease was renewed: no request may start after this. */
  | { readonly type: 'lease'; readonly leaseEndsAt: number }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** To a pooled runner: one of many jobs. */
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
  /** Its first request is about to leave, so the machine lets it work. */
  | { readonly type: 'asking' }
  /** A page is to be rendered, and the browser host does not listen. */
  | { readonly type: 'needBrowser' }
  /** A sign of life, with the checkpoints saved since the last one. */
  | {
      readonly type: 'tick';
      readonly rssBytes: number;
      readonly checkpoints: readonly MetricEvents['checkpoint'][];
    }
  /** The run has ended and let go of its job. */
  | { readonly type: 'ended'; readonly status: string }
  /** One of a pooled runner's jobs has ended, and the run has let go of it. */
  | { readonly type: 'pooledEnded'; readonly id: string; readonly fence: number; readonly status: string };
