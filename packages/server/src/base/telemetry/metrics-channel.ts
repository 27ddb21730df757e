import { channel } from 'node:diagnostics_channel';
import type { JobKind } from '@holdfast/contract';

/** What happens inside, told to whoever measures it. Who tells does not know who listens; nobody listening costs nothing. */
export interface Signals {
  readonly claim: { readonly seconds: number; readonly kinds: readonly JobKind[] };
  readonly checkpoint: { readonly seconds: number; readonly pages: Readonly<Record<string, number>> };
  readonly leaseExpiry: { readonly status: string };
  readonly runnerDeath: { readonly code: string };
  readonly delivery: { readonly outcome: 'delivered' | 'failed' | 'dead' };
}

const channelOf = (name: keyof Signals) => channel(`holdfast:${name}`);

export function tell<Name extends keyof Signals>(name: Name, signal: Signals[Name]): void {
  channelOf(name).publish(signal);
}

/** Gives back how to stop listening. */
export function hear<Name extends keyof Signals>(
  name: Name,
  listener: (signal: Signals[Name]) => void,
): () => void {
  const onMessage = (message: unknown) => listener(message as Signals[Name]);
  channelOf(name).subscribe(onMessage);
  return () => channelOf(name).unsubscribe(onMessage);
}
