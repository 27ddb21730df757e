import { Readable } from 'node:stream';
import { WakeSignal } from '../../base/process/wake-signal.ts';

export interface SseMessage {
  /** Sent back as Last-Event-ID when the client reconnects. */
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

const bufferedBytes = 64 * 1024;
/** Reconnect delay for clients. */
const retryMs = 2_000;

/** Server-Sent Events for one client. A client that does not read is disconnected. */
export class SseChannel {
  readonly #cutMs: number;
  readonly #closed = new AbortController();
  readonly #drained = new WakeSignal();
  #isEnding = false;
  readonly body: Readable;
  /** Whether the buffer has room. Messages sent without room pile up. */
  isReady = true;

  constructor(cutMs: number) {
    this.#cutMs = cutMs;
    this.body = new Readable({
      highWaterMark: bufferedBytes,
      read: () => {
        this.isReady = true;
        this.#drained.notify();
      },
    });
    this.body.once('close', () => this.#closed.abort());
    this.#write(`retry: ${retryMs}\n\n`);
  }

  /** Aborted when the client has disconnected or was disconnected. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  send({ id, event, data }: SseMessage): void {
    const lines = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${lines}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing a quiet connection. With an id, a reconnecting client resumes from there. */
  beat(id?: string): void {
    if (this.isReady) this.#write(id === undefined ? ':\n\n' : `:\nid: ${id}\n\n`);
  }

  /** Resolves when there is room again; false if the client is gone, or was disconnected because it did not read. */
  async hasRoom(): Promise<boolean> {
    if (this.isReady || this.closed.aborted) return !this.closed.aborted;
    if (await this.#drained.wait(this.closed, this.#cutMs)) return true;
    this.body.destroy();
    return false;
  }

  /** Flushes and ends; a client that does not read is disconnected after a while. */
  end(): void {
    if (this.closed.aborted || this.#isEnding) return;
    this.#isEnding = true;
    this.body.push(null);
    const timer = setTimeout(() => this.body.destroy(), this.#cutMs);
    this.closed.addEventListener('abort', () => clearTimeout(timer));
  }

  #write(text: string): void {
    if (this.closed.aborted || this.#isEnding) return;
    this.isReady = this.body.push(text);
  }
}
