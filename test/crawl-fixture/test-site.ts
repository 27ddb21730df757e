import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SiteOptions {
  readonly pages: number;
  readonly linksPerPage?: number;
  readonly delayMs?: number;
  readonly robots?: string;
  /** What a page's text and entity tag depend on; null: the page is not there, and not linked to. */
  readonly version?: (page: number) => string | null;
  /** Answers a path instead of the generated page; false leaves it to that. */
  readonly answer?: (path: string, response: ServerResponse, request: IncomingMessage) => boolean;
}

/** A generated site on loopback, that keeps a log of every request as an origin would. */
export class TestSite {
  readonly requests: { path: string; at: number; conditional: boolean }[] = [];
  readonly #server: Server;
  readonly #options: SiteOptions;

  private constructor(options: SiteOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async start(options: SiteOptions): Promise<TestSite> {
    const site = new TestSite(options);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests of each path, without what discovery looked for. */
  get counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { path } of this.requests) {
      if (/^\/(robots\.txt|sitemap\.xml|llms(-full)?\.txt)$/.test(path)) continue;
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    return counts;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const conditional = request.headers['if-none-match'] !== undefined;
    this.requests.push({ path, at: performance.now(), conditional });
    if (this.#options.answer?.(path, response, request)) return;
    const page = path === '/' ? 0 : Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (path === '/robots.txt' && this.#options.robots) response.end(this.#options.robots);
    else if (!(page < this.#options.pages)) response.writeHead(404).end('Page not found.');
    else setTimeout(() => this.#sendPage(page, request, response), this.#options.delayMs ?? 0);
  }

  /** Every page is reached: each links to the two below it in a binary tree, and to others anywhere. */
  #sendPage(page: number, request: IncomingMessage, response: ServerResponse): void {
    const { pages, linksPerPage = 10, version } = this.#options;
    const text = version?.(page) ?? '';
    const etag = `"${page}-${text}"`;
    if (version) response.setHeader('etag', etag);
    if (version && request.headers['if-none-match'] === etag) {
      response.writeHead(304).end();
      return;
    }
    const others = Array.from({ length: linksPerPage }, (_, n) => (page * 31 + n * 97) % pages);
    const links = [page * 2 + 1, page * 2 + 2, ...others].filter(
      (link) => link < pages && version?.(link) !== null,
    );
    const items = links.map(
      (link) => `<li><a href="${link === 0 ? '/' : `/page/${link}`}">Page ${link}</a></li>`,
    );
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>
<html lang="en"><head><title>Page ${page}</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>Page ${page}</h1><p>${`Words ${text} of page ${page} for the reader. `.repeat(20)}</p><ul>${items.join('')}</ul></main>
</body></html>`);
  }
}
