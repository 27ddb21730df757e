import { Readable } from 'node:stream';
import { WakeSignal } from '../../base/process/wake-signal.ts';

export interface SseMessage {
  /** Comes back as Last-Event-ID when the client connects again. */
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

const bufferedBytes = 64 * 1024;
/** How soon a client comes back after a connection is lost. */
const retryMs = 2_000;

/** Messages on their way to one client (Server-Sent Events). A client that does not read is cut off. */
export class SseChannel {
  readonly #cutMs: number;
  readonly #closed = new AbortController();
  readonly #drained = new WakeSignal();
  #isEnding = false;
  readonly body: Readable;
  /** Whether there is room; without it, what is sent all the same piles up. */
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

  /** Aborted when the client is gone or was cut off. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  send({ id, event, data }: SseMessage): void {
    const lines = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${lines}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing a quiet connection. With an id, a client that comes back goes on from there. */
  beat(id?: string): void {
    if (this.isReady) this.#write(id === undefined ? ':\n\n' : `:\nid: ${id}\n\n`);
  }

  /** Resolves when there is room again; false: the client is gone, or did not read for too long and was cut off. */
  async hasRoom(): Promise<boolean> {
    if (this.isReady || this.closed.aborted) return !this.closed.aborted;
    if (await this.#drained.wait(this.closed, this.#cutMs)) return true;
    this.body.destroy();
    return false;
  }

  /** Sends what is on its way, and ends; a client that does not take it is not waited for. */
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
