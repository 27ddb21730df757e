import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Section, SitePath } from './section.ts';

export interface LoggedRequest {
  readonly path: string;
  /** By the monotonic clock of this process. */
  readonly at: number;
  /** Which worker asked: each has a user agent of its own. */
  readonly agent: string;
}

/** Answers a path of its own; false leaves it to the sections. */
export type SpecialAnswer = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

/** A web server on loopback that keeps its own log of every request, as the origin saw it. */
export class Origin {
  readonly log: LoggedRequest[] = [];
  special: SpecialAnswer | undefined;
  /** Added to the delay of every page. */
  extraDelayMs = 0;
  readonly #last = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #sections = new Map<string, Section>();
  readonly #lastMinute: number[] = [];
  #busiestMinute = 0;
  #served = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
      this.#serve(request, response),
    );
  }

  static async start(): Promise<Origin> {
    const origin = new Origin();
    origin.#server.listen(0, '127.0.0.1');
    await once(origin.#server, 'listening');
    return origin;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(section: Section): void {
    this.#sections.set(section.prefix, section);
  }

  /** How often a path was asked for. */
  countOf(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  /** When anything of a section was asked for last. */
  lastOf({ prefix }: Section): number {
    return this.#last.get(prefix) ?? 0;
  }

  /** All requests there ever were. */
  get served(): number {
    return this.#served;
  }

  /** The most requests that there were within any sixty seconds. */
  get busiestMinute(): number {
    return this.#busiestMinute;
  }

  /** A crawl that was judged is not looked at again. */
  forget({ prefix }: Section): void {
    this.#sections.delete(prefix);
    this.#last.delete(prefix);
    for (const path of this.#counts.keys()) if (path.startsWith(prefix)) this.#counts.delete(path);
    let kept = 0;
    for (const request of this.log) if (!request.path.startsWith(prefix)) this.log[kept++] = request;
    this.log.length = kept;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const agent = request.headers['user-agent'] ?? '';
    const at = performance.now();
    this.log.push({ path, at, agent });
    this.#served++;
    this.#countMinute(at);
    const count = this.countOf(path) + 1;
    this.#counts.set(path, count);
    const prefix = /^\/s\d+\//.exec(path)?.[0] ?? '';
    this.#last.set(prefix, at);
    if (this.special?.(path, request, response)) return;
    const found = this.#sections.get(prefix)?.paths.get(path);
    if (!found) {
      response.writeHead(404).end('Page not found.');
      return;
    }
    setTimeout(() => send(found, count, response), found.delayMs + this.extraDelayMs);
  }

  #countMinute(at: number): void {
    const recent = this.#lastMinute;
    recent.push(at);
    while ((recent[0] ?? at) <= at - 60_000) recent.shift();
    this.#busiestMinute = Math.max(this.#busiestMinute, recent.length);
  }
}

function send({ answer, failures }: SitePath, count: number, response: ServerResponse): void {
  // Not 503: that would be a plea to go slower, and heeded.
  if (count <= failures) response.writeHead(502).end('Come back later.');
  else if (answer.kind === 'redirect') response.writeHead(answer.status, { location: answer.to }).end();
  else if (answer.kind === 'error') response.writeHead(answer.status).end('No.');
  else {
    const items = answer.links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('');
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>
<html lang="en"><head><title>Page ${answer.page}</title></head><body><main><h1>Page ${answer.page}</h1>
<p>${`Words of page ${answer.page} for whoever reads it. `.repeat(10)}</p><ul>${items}</ul></main></body></html>`);
  }
}
