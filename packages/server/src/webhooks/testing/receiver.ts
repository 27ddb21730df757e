import type { IncomingHttpHeaders } from 'node:http';
import { type LocalSite, startSite } from '../../fetch/testing/local-site.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
}

/** A real receiver of webhooks. It takes everything, unless the test says otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  /** May wait, to keep a delivery under way. */
  answer: (received: Received) => Answer | Promise<Answer> = () => ({ status: 204 });
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
      receiver?.received.push(received);
      const { status, headers } = (await receiver?.answer(received)) ?? { status: 500 };
      response.writeHead(status, headers).end();
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

  /** Of what it got, the ids. */
  get ids(): string[] {
    return this.received.map(({ headers }) => String(headers['webhook-id']));
  }

  /** Of what it got, the payloads. */
  get payloads(): { type: string; version: number; timestamp: string; data: Record<string, unknown> }[] {
    return this.received.map(({ body }) => JSON.parse(body));
  }

  close(): Promise<void> {
    return this.#site.close();
  }
}
