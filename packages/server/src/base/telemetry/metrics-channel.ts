import { channel } from 'node:diagnostics_channel';
import type { JobKind } from '@holdfast/contract';

/** Events that a process publishes for its metrics. The publisher does not know its subscribers, and without any it costs nothing. */
export interface MetricEvents {
  readonly claim: { readonly seconds: number; readonly kinds: readonly JobKind[] };
  readonly checkpoint: { readonly seconds: number; readonly pages: Readonly<Record<string, number>> };
  readonly leaseExpiry: { readonly status: string };
  readonly runnerDeath: { readonly code: string };
  /** `outcome`: rendered, or an error code. */
  readonly render: { readonly seconds: number; readonly outcome: string; readonly bytes: number };
  readonly browserStart: Record<string, never>;
  readonly browsers: { readonly running: number; readonly memoryBytes: number; readonly waiting: number };
  readonly delivery: { readonly outcome: 'delivered' | 'failed' | 'dead' };
}

const channelOf = (name: keyof MetricEvents) => channel(`holdfast:${name}`);

export function publish<Name extends keyof MetricEvents>(name: Name, event: MetricEvents[Name]): void {
  channelOf(name).publish(event);
}

/** Returns a function that unsubscribes. */
export function subscribe<Name extends keyof MetricEvents>(
  name: Name,
  listener: (event: MetricEvents[Name]) => void,
): () => void {
  const onMessage = (message: unknown) => listener(message as MetricEvents[Name]);
  channelOf(name).subscribe(onMessage);
  return () => channelOf(name).unsubscribe(onMessage);
}
