import { HoldfastError } from '@holdfast/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findValidKeys } from '../../queue/access/key-directory.ts';
import { findSession } from '../../queue/access/sessions.ts';
import { theCaller } from '../caller.ts';
import { localKey } from '../keyless.ts';
import type { ApiContext } from '../route-group.ts';
import { sessionTokenOf } from '../session-cookie.ts';
import { SseChannel } from './sse-channel.ts';

interface Entry {
  readonly channel: SseChannel;
  readonly keyId: string;
  /** Token of the console session that opened it. */
  readonly session: string | undefined;
  readonly position: () => string | undefined;
}

const maxStreams = 1_000;
const maxStreamsOfKey = 100;

/** The open event streams of this process. They share a heartbeat, and end with their key, their session or the server. */
export class OpenStreams {
  readonly #context: Pick<ApiContext, 'configuration' | 'pool' | 'log' | 'stopping'>;
  readonly #entries = new Set<Entry>();
  readonly #beatMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Pick<ApiContext, 'configuration' | 'pool' | 'log' | 'stopping'>) {
    this.#context = context;
    this.#beatMs = context.configuration.streamBeatSeconds * 1000;
    context.stopping.addEventListener('abort', () => {
      for (const { channel } of this.#entries) channel.end();
    });
  }

  /** Refuses streams beyond the limits. `position`: the id at which a client that loses the connection resumes. */
  open(request: FastifyRequest, position: () => string | undefined = () => undefined): SseChannel {
    const { key } = theCaller(request);
    const ofKey = [...this.#entries].filter(({ keyId }) => keyId === key.id).length;
    if (this.#entries.size >= maxStreams || ofKey >= maxStreamsOfKey) {
      throw new HoldfastError(
        'rate_limited',
        `${this.#entries.size} streams are open, ${ofKey} with this key`,
      );
    }
    const channel = new SseChannel(this.#beatMs);
    const isOfSession =
      request.headers.authorization === undefined && request.headers['x-api-key'] === undefined;
    const session = isOfSession ? sessionTokenOf(request) : undefined;
    const entry: Entry = { channel, keyId: key.id, session, position };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => void this.#beat(), this.#beatMs);
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
    try {
      await this.#endUnauthorised([...this.#entries]);
    } catch (error) {
      this.#context.log.debug({ err: error }, 'The keys of open streams could not be checked');
    }
  }

  /** Ends streams whose key or session has become invalid. */
  async #endUnauthorised(entries: readonly Entry[]): Promise<void> {
    const { pool } = this.#context;
    const valid = await findValidKeys(pool, [...new Set(entries.map(({ keyId }) => keyId))]);
    const ended = new Set<string>();
    for (const token of new Set(entries.flatMap(({ session }) => session ?? []))) {
      await findSession(pool, token).catch((error: unknown) => {
        if (!(error instanceof HoldfastError)) throw error;
        ended.add(token);
      });
    }
    for (const { channel, keyId, session } of entries) {
      const isValid = valid.has(keyId) || keyId === localKey.id;
      if (!isValid || (session !== undefined && ended.has(session))) channel.end();
    }
  }
}

export function sendStream(reply: FastifyReply, channel: SseChannel): FastifyReply {
  return (
    reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store, no-transform')
      .header('x-accel-buffering', 'no')
      // A kept-alive connection would delay the shutdown.
      .header('connection', 'close')
      .send(channel.body)
  );
}
