import type { ErrorCode } from '@holdfast/contract';
import type { MetricEvents } from '../base/telemetry/metrics-channel.ts';
import type { RenderedPage, RenderRequest } from './render-request.ts';

/** Tells a runner where the browser host of its supervisor listens. */
export const browserSocketVariable = 'HOLDFAST_BROWSER_SOCKET';

/** From a runner to the browser host. */
export type ToHost =
  | { readonly type: 'render'; readonly id: number; readonly request: RenderRequest }
  | { readonly type: 'cancel'; readonly id: number };

/** From the browser host to a runner. */
export type FromHost =
  | { readonly type: 'rendered'; readonly id: number; readonly page: RenderedPage }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly code: ErrorCode;
      readonly detail: string | undefined;
      readonly hint: string;
    };

/** From the browser host to its supervisor. */
export type HostReport =
  | { readonly type: 'ready' }
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'ended'; readonly pid: number }
  | { readonly type: 'render'; readonly event: MetricEvents['render'] }
  | { readonly type: 'status'; readonly browsers: MetricEvents['browsers'] };

/** What the host starts with. */
export interface HostSettings {
  readonly socket: string;
  readonly folder: string;
  readonly browsers: number;
  readonly pagesAtOnce: number;
  readonly maxPages: number;
  readonly maxMinutes: number;
  readonly maxMemoryBytes: number;
  readonly idleMs: number;
}
