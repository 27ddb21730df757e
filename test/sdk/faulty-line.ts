import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

/** What befalls a request on its way. */
export type Fault =
  /** It does not arrive. */
  | 'lose request'
  /** It arrives and has its effect; its answer is lost. */
  | 'lose answer'
  /** It arrives and has its effect; its answer takes until then. */
  | { readonly until: Promise<void> }
  /** Something on the way answers in the API's place. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

/** A line to the API at an address that stays while the API is stopped and started, on which requests can go wrong. */
export class FaultyLine {
  readonly #server = createServer((request, response) => void this.#take(request, response));
  readonly #target: () => string;
  readonly #sockets = new Set<Socket>();
  #faults: { readonly path: RegExp; readonly fault: Fault }[] = [];
  readonly seen: SeenRequest[] = [];

  constructor(target: () => string) {
    this.#target = target;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    beforeAll(() => new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve)));
    afterAll(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next requests to such a path go wrong, one after the other. */
  next(path: RegExp, ...faults: Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ path, fault })));
  }

  /** Forgets what it saw, and what was to go wrong. */
  mend(): void {
    this.#faults = [];
    this.seen.length = 0;
  }

  to(path: RegExp): SeenRequest[] {
    return this.seen.filter((request) => path.test(request.path));
  }

  /** Cuts every connection, without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.seen.push({ method, path: url, headers, body: body.toString(), at });
    const index = this.#faults.findIndex(({ path }) => path.test(url));
    const [planned] = index < 0 ? [] : this.#faults.splice(index, 1);
    const fault = planned?.fault;
    if (fault === 'lose request') return void request.socket.destroy();
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    this.#pass(request, response, body, fault);
  }

  #pass(request: IncomingMessage, response: ServerResponse, body: Buffer, fault: Fault | undefined): void {
    const { method, url, headers } = request;
    const lose = () => request.socket.destroy();
    let target: string;
    try {
      target = this.#target();
    } catch {
      lose();
      return;
    }
    const outgoing = forward(new URL(url ?? '', target), { method, headers }, async (answer) => {
      if (typeof fault === 'object' && 'until' in fault) await fault.until;
      if (fault === 'lose answer') {
        answer.resume().once('end', lose);
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.once('error', lose);
      answer.once('close', () => !answer.complete && lose());
    });
    outgoing.once('error', lose);
    response.once('close', () => outgoing.destroy());
    outgoing.end(body);
  }
}
