import { HoldfastError } from '@holdfast/contract';
import type { FastifyReply } from 'fastify';
import { findValidKeys } from '../../keys/find-valid-keys.ts';
import type { ApiContext } from '../api-context.ts';
import type { Caller } from '../caller.ts';
import { SseChannel } from './sse-channel.ts';

interface Entry {
  readonly channel: SseChannel;
  readonly keyId: string;
  readonly position: () => string | undefined;
}

const beatMs = 15_000;
const maxStreams = 1_000;
const maxStreamsOfKey = 100;

/** The answers without an end of this process: they beat together, and end when their key or the server does. */
export class OpenStreams {
  readonly #context: Pick<ApiContext, 'pool' | 'log' | 'stopping'>;
  readonly #entries = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Pick<ApiContext, 'pool' | 'log' | 'stopping'>) {
    this.#context = context;
    context.stopping.addEventListener('abort', () => {
      for (const { channel } of this.#entries) channel.end();
    });
  }

  /** Refuses one too many. `position`: what a client that loses the connection now should come back with. */
  open(caller: Caller, position: () => string | undefined = () => undefined): SseChannel {
    const ofKey = [...this.#entries].filter(({ keyId }) => keyId === caller.key.id).length;
    if (this.#entries.size >= maxStreams || ofKey >= maxStreamsOfKey) {
      throw new HoldfastError(
        'rate_limited',
        `${this.#entries.size} streams are open already, ${ofKey} with this key`,
      );
    }
    const channel = new SseChannel();
    const entry: Entry = { channel, keyId: caller.key.id, position };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => void this.#beat(), beatMs);
    channel.closed.addEventListener('abort', () => {
      this.#entries.delete(entry);
      if (this.#entries.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    if (this.#context.stopping.aborted) channel.end();
    return channel;
  }

  async #beat(): Promise<void> {
    for (const { channel, position } of this.#entries) channel.beat(position());
    const asked = [...this.#entries];
    try {
      const valid = await findValidKeys(this.#context.pool, [...new Set(asked.map(({ keyId }) => keyId))]);
      for (const { channel, keyId } of asked) if (!valid.has(keyId)) channel.end();
    } catch (error) {
      this.#context.log.debug({ err: error }, 'The keys of open streams could not be checked');
    }
  }
}

/** Answers with the channel's messages. */
export function sendStream(reply: FastifyReply, channel: SseChannel): FastifyReply {
  return (
    reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store, no-transform')
      .header('x-accel-buffering', 'no')
      // When it ends, the server may be closing: it would wait for a connection that stays open.
      .header('connection', 'close')
      .send(channel.body)
  );
}
