import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { type LocalSite, startSite } from '../../../web/fetch/testing/local-site.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A real webhook receiver. Accepts everything unless the test says otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  /** May wait, to keep a delivery in progress. */
  answer: (received: Received) => Answer | Promise<Answer> = () => ({ status: 204 });
  readonly #arrivals = new EventEmitter();
  readonly #site: LocalSite;

  private constructor(site: LocalSite) {
    this.#site = site;
  }

  static async start(): Promise<Receiver> {
    let receiver: Receiver | undefined;
    const site = await startSite(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const received = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      if (!receiver) throw new Error('the receiver is not there yet');
      receiver.received.push(received);
      receiver.#arrivals.emit('arrival');
      const { status, headers, body } = await receiver.answer(received);
      response.writeHead(status, headers).end(body);
    });
    receiver = new Receiver(site);
    return receiver;
  }

  get origin(): string {
    return this.#site.origin;
  }

  get port(): number {
    return this.#site.port;
  }

  /** The ids it received. */
  get ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }

  /** The payloads it received. */
  get payloads(): { type: string; version: number; timestamp: string; data: Record<string, unknown> }[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  /** Resolves when it has received that many. */
  async got(count: number): Promise<void> {
    while (this.received.length < count) await once(this.#arrivals, 'arrival');
  }

  /** Holds back the answers to all deliveries, or to these, until released. */
  hold(holds: (received: Received) => boolean = () => true): { open: () => void } {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.answer = async (received) => {
      if (holds(received)) await opened;
      return { status: 204 };
    };
    return { open: () => open() };
  }

  close(): Promise<void> {
    return this.#site.close();
  }
}
