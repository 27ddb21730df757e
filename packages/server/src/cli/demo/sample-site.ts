import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { samplePage } from './sample-page.ts';

interface SampleSiteOptions {
  /** Each request for the front page begins a new edition, starting with this one, so that recrawls find changes. */
  readonly firstEdition?: number;
  /** 1 is slow enough to watch a crawl and to kill it in the middle. */
  readonly slowness?: number;
}

/** The sample site, served on loopback. It counts requests, as evidence of what the crawler did. */
export class SampleSite {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #asked = new Map<string, number>();
  readonly #waiting = new Set<{ readonly path: string }>();
  readonly #options: SampleSiteOptions;

  constructor(options: SampleSiteOptions = {}) {
    this.#options = options;
  }

  /** On this port, or on any if it is taken. */
  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      if (port === 0) throw error;
      await this.start();
    }
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The paths of requests that wait for their answer. */
  get waiting(): string[] {
    return [...this.#waiting].map(({ path }) => path);
  }

  timesAsked(path: string): number {
    return this.#asked.get(path) ?? 0;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer({ url: path = '/', headers }: IncomingMessage, response: ServerResponse): void {
    const request = { path };
    this.#asked.set(path, this.timesAsked(path) + 1);
    const { firstEdition, slowness = 1 } = this.#options;
    const edition = firstEdition === undefined ? 1 : firstEdition + this.timesAsked('/');
    const answer = samplePage(path, { times: this.timesAsked(path), edition });
    this.#waiting.add(request);
    response.once('close', () => this.#waiting.delete(request));
    if (answer.status === 301) response.writeHead(301, { location: answer.location }).end();
    else if (answer.status !== 200) response.writeHead(answer.status).end();
    else {
      const body = answer.body.replaceAll('ORIGIN', this.origin);
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
      const isKnown = headers['if-none-match'] === etag;
      setTimeout(() => {
        response.writeHead(isKnown ? 304 : 200, { 'content-type': answer.type, etag });
        response.end(isKnown ? undefined : body);
      }, answer.waitMs * slowness);
    }
  }
}

/** The address of the sample site. The guides use the wanted port (0: any). */
export function sampleSiteText(origin: string, wanted: number): string {
  const line = `sample site  ${origin}`;
  if (wanted === 0 || origin.endsWith(`:${wanted}`)) return line;
  return `${line}
  WARNING: port ${wanted}, which the guides use for the sample site, is taken by another program. Use the address above instead,
  stop that program, or choose another port with --port or HOLDFAST_PORT: the sample site uses the next one.`;
}
