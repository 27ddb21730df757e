import { once, setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import { MessageStream } from './message-stream.ts';
import type { FromHost, ToHost } from './render-messages.ts';
import type { RenderedPage, RenderRequest } from './render-request.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A runner's client of its supervisor's browser host. */
export interface Renderer {
  /** Rejects with a HoldfastError, or with the signal's reason if it was aborted. */
  render(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage>;
  close(): void;
}

export interface RenderClientOptions {
  readonly socket: string;
  /** Asks the supervisor for its browser host. */
  readonly need: () => void;
  readonly connectMs?: number;
}

interface Pending {
  readonly resolve: (page: RenderedPage) => void;
  readonly reject: (error: unknown) => void;
}

const retryMs = 50;

/** No page of it is to blame. */
class HostDied extends HoldfastError {
  constructor() {
    super('render_failed', 'the browser host died');
  }
}

export class RenderClient implements Renderer {
  readonly #options: Required<RenderClientOptions>;
  readonly #pending = new Map<number, Pending>();
  #line: Promise<MessageStream<ToHost, FromHost>> | undefined;
  #socket: Socket | undefined;
  #ids = 0;
  #isClosed = false;

  constructor(options: RenderClientOptions) {
    this.#options = { connectMs: 30_000, ...options };
  }

  async render(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage> {
    try {
      return await this.#render(request, signal);
    } catch (error) {
      if (!(error instanceof HostDied) || this.#isClosed) throw error;
      return await this.#render(request, signal);
    }
  }

  async #render(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage> {
    signal.throwIfAborted();
    // A crawl renders many pages under one signal.
    setMaxListeners(0, signal);
    const line = await this.#connected(signal);
    const id = ++this.#ids;
    const cancel = () => {
      line.send({ type: 'cancel', id });
      this.#pending.get(id)?.reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        line.send({ type: 'render', id, request });
      });
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#pending.delete(id);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  #connected(signal: AbortSignal): Promise<MessageStream<ToHost, FromHost>> {
    this.#line ??= this.#connect().catch((error) => {
      this.#line = undefined;
      throw error;
    });
    return unlessAborted(this.#line, signal);
  }

  async #connect(): Promise<MessageStream<ToHost, FromHost>> {
    const until = performance.now() + this.#options.connectMs;
    for (;;) {
      this.#options.need();
      const socket = connect(this.#options.socket);
      try {
        await once(socket, 'connect');
      } catch (error) {
        if (performance.now() > until)
          throw new HoldfastError('browser_unavailable', 'the browser host does not answer', {
            cause: error,
          });
        await delay(retryMs);
        continue;
      }
      this.#socket = socket;
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#lost());
      return new MessageStream(socket, (message) => this.#answered(message));
    }
  }

  #answered(message: FromHost): void {
    const pending = this.#pending.get(message.id);
    if (message.type === 'rendered') pending?.resolve(message.page);
    else pending?.reject(new HoldfastError(message.code, message.detail, { hint: message.hint }));
  }

  #lost(): void {
    this.#line = undefined;
    for (const { reject } of this.#pending.values()) reject(new HostDied());
  }
}
