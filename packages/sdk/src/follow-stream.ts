import { HoldfastApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { Deadline } from './deadline.ts';
import { isPassing } from './is-passing.ts';
import type { OperationName } from './operations.ts';
import { readBody } from './read-body.ts';
import { type SseMessage, SseReader } from './sse-reader.ts';
import type { Sent, Transport } from './transport.ts';
import { wait } from './wait.ts';

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Resumes after the message with this id. */
  readonly lastEventId?: string | undefined;
  /** Called when the connection was lost, before the next attempt. `error` is undefined if the server ended it. */
  readonly onDisconnect?: ((error: unknown) => void) | undefined;
  /** A connection that is silent for this long counts as lost; default 45 s, three heartbeats of the server. */
  readonly silenceMs?: number | undefined;
  /** Retries of the first connection; default 4. An established stream reconnects without limit. */
  readonly retries?: number | undefined;
}

type StreamName = Extract<OperationName, `stream${string}`>;

/** The position to resume from, and the delay. */
interface Place {
  lastEventId: string;
  retryMs: number;
}

const openMs = 30_000;

/** Reads an endless stream, and reconnects with Last-Event-ID when the connection is lost. */
export async function* followStream<Name extends StreamName>(
  transport: Transport,
  name: Name,
  sent: Sent<Name>,
  { signal, lastEventId = '', onDisconnect, silenceMs = 45_000, retries = 4 }: StreamOptions,
): AsyncGenerator<SseMessage, never, undefined> {
  const place: Place = { lastEventId, retryMs: 2_000 };
  let isEstablished = false;
  for (let failures = 0; ; failures++) {
    const deadline = new Deadline(signal);
    let lost: unknown;
    try {
      signal?.throwIfAborted();
      deadline.set(openMs);
      const headers = { ...(place.lastEventId !== '' && { 'last-event-id': place.lastEventId }) };
      const response = await transport.open(name, { ...sent, headers } as Sent<Name>, deadline);
      isEstablished = true;
      for await (const message of readMessages(response, place, deadline, silenceMs)) {
        failures = 0;
        yield message;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || (!isEstablished && failures >= retries)) throw error;
      lost = error;
    } finally {
      deadline.abort();
    }
    onDisconnect?.(lost);
    const asked = lost instanceof HoldfastApiError ? lost.retryAfterMs : undefined;
    await wait(asked ?? backoff(failures, place.retryMs, Math.max(15_000, place.retryMs)), signal);
  }
}

async function* readMessages(
  response: Response,
  place: Place,
  deadline: Deadline,
  silenceMs: number,
): AsyncGenerator<SseMessage, void, undefined> {
  const reader = new SseReader(place.lastEventId);
  for await (const text of readBody(response, 'The stream', deadline, silenceMs)) {
    yield* reader.read(text);
    place.lastEventId = reader.lastEventId;
    place.retryMs = reader.retryMs ?? place.retryMs;
  }
}
