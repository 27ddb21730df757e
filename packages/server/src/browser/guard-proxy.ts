import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AddressGuard } from '../web/fetch/address-guard.ts';
import {
  type Done,
  type OpeningSocket,
  openSocket,
  type ResolveHost,
  resolveHost,
  type SocketOptions,
} from '../web/fetch/connection.ts';
import { isForwarded, type ProxyEndpoint, proxyAuthorization } from '../web/proxy/proxy-endpoint.ts';

export interface GuardProxyOptions {
  /** Private-network origins that pages may reach. */
  readonly allowOrigins?: readonly string[] | undefined;
  readonly resolve?: ResolveHost | undefined;
}

export interface PassLimits {
  /** Total of all responses, as received. */
  readonly maxBytes: number;
}

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * A forward proxy on loopback, the browser's only connection to the network. It opens sockets as the fetcher does: it
 * connects to the address it checked, so neither redirects nor DNS rebinding reach a private host.
 */
export class GuardProxy {
  readonly #server: Server;
  readonly #sockets: SocketOptions;
  readonly #guard: AddressGuard;
  /** The allow-list by host and port, because a tunnel does not reveal its scheme. */
  readonly #tunnelGuard: AddressGuard;
  readonly #agent: Agent;
  readonly #passes = new Map<string, ProxyPass>();
  readonly #open = new Set<Socket>();
  /** For requests that are made beside the proxy, by the same rules. */
  readonly options: GuardProxyOptions;

  private constructor({ allowOrigins = [], resolve = resolveHost }: GuardProxyOptions) {
    this.options = { allowOrigins, resolve };
    this.#guard = new AddressGuard(allowOrigins);
    this.#tunnelGuard = new AddressGuard(allowOrigins.map(asTunnel));
    this.#sockets = { guard: this.#guard, resolve };
    this.#agent = new GuardedAgent(this.#sockets);
    this.#server = createServer((incoming, answer) => this.#forward(incoming, answer));
    this.#server.on('connect', (incoming, socket, head) => this.#tunnel(incoming, socket, head));
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async start(options: GuardProxyOptions = {}): Promise<GuardProxy> {
    const proxy = new GuardProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Credentials for one page, with their own counters; without them, the proxy answers 407. `via`: the page's own
   * proxy.
   */
  admit(limits: PassLimits, via?: ProxyEndpoint): ProxyPass {
    const pass = new ProxyPass(limits, via, () => this.#passes.delete(pass.username));
    this.#passes.set(pass.username, pass);
    return pass;
  }

  async close(): Promise<void> {
    for (const pass of this.#passes.values()) pass.close();
    this.#agent.destroy();
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #track(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  #passOf(incoming: IncomingMessage): ProxyPass | undefined {
    const [, encoded] = /^Basic ([\w+/=]+)$/i.exec(incoming.headers['proxy-authorization'] ?? '') ?? [];
    if (!encoded) return undefined;
    const [name = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
    const pass = this.#passes.get(name);
    return pass?.knows(secret) ? pass : undefined;
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const pass = this.#passOf(incoming);
    if (!pass) {
      answer.writeHead(407, { 'proxy-authenticate': 'Basic realm="holdfast"' }).end();
      return;
    }
    let url: URL;
    try {
      url = new URL(incoming.url ?? '');
      this.#guard.checkUrl(url);
    } catch {
      pass.refuse();
      answer.writeHead(403).end();
      return;
    }
    const isForwarding = pass.via !== undefined && isForwarded(url, pass.via);
    const outgoing = request({
      agent: this.#agent,
      protocol: 'http:',
      host: url.hostname,
      port: url.port || 80,
      method: incoming.method,
      path: `${isForwarding ? url.origin : ''}${url.pathname}${url.search}`,
      headers: { ...withoutHopHeaders(incoming.headers), ...(isForwarding && authorizationOf(pass.via)) },
      guardedOrigin: url,
      via: pass.via,
    } as ClientRequestArgs);
    const release = pass.holds(() => {
      outgoing.destroy();
      answer.destroy();
    });
    answer.once('close', () => {
      outgoing.destroy();
      release();
    });
    outgoing.once('error', (error) => {
      if (isForbidden(error)) pass.refuse();
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(isForbidden(error) ? 403 : 502).end();
    });
    outgoing.once('response', (response) => {
      // The browser would mistake it for our own.
      if (response.statusCode === 407) {
        response.destroy();
        answer.writeHead(502).end();
        return;
      }
      answer.writeHead(response.statusCode ?? 502, withoutHopHeaders(response.headers));
      response.on('data', (piece: Buffer) => pass.count(piece.length));
      response.pipe(answer);
      response.once('error', () => answer.destroy());
    });
    incoming.pipe(outgoing);
  }

  #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on('error', () => client.destroy());
    const pass = this.#passOf(incoming);
    if (!pass) {
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="holdfast"\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    const refuse = (line: string) => {
      client.end(`HTTP/1.1 ${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    };
    let origin: URL;
    try {
      origin = new URL(`http://${incoming.url}`);
      this.#tunnelGuard.checkUrl(origin);
    } catch {
      pass.refuse();
      refuse('403 Forbidden');
      return;
    }
    const release = pass.holds(() => client.destroy());
    let opening: OpeningSocket | undefined;
    const opened: Done = (...[error, socket]) => {
      if (error) {
        if (isForbidden(error)) pass.refuse();
        refuse(isForbidden(error) ? '403 Forbidden' : '502 Bad Gateway');
        release();
        return;
      }
      this.#track(socket);
      socket.on('error', () => client.destroy());
      socket.once('close', () => client.destroy());
      if (client.destroyed) {
        socket.destroy();
        return;
      }
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.write(head);
      socket.on('data', (piece: Buffer) => pass.count(piece.length));
      socket.pipe(client);
      client.pipe(socket);
    };
    client.once('close', () => {
      opening?.destroy();
      release();
    });
    try {
      opening = openSocket(
        origin,
        { ...this.#sockets, guard: this.#tunnelGuard, alwaysTunnels: true },
        opened,
        pass.via,
      );
    } catch (error) {
      opened(error as Error, null);
    }
  }
}

/** The limits of one page, and its usage. */
export class ProxyPass {
  readonly username = randomBytes(8).toString('hex');
  readonly password = randomBytes(16).toString('hex');
  bytes = 0;
  /** Connections to places that a page may not reach. */
  refused = 0;
  /** All traffic of the page uses this proxy. */
  readonly via: ProxyEndpoint | undefined;
  readonly #limits: PassLimits;
  readonly #ended: () => void;
  readonly #ends = new Set<() => void>();

  constructor(limits: PassLimits, via: ProxyEndpoint | undefined, ended: () => void) {
    this.via = via;
    this.#limits = limits;
    this.#ended = ended;
  }

  get isSpent(): boolean {
    return this.bytes > this.#limits.maxBytes;
  }

  knows(secret: string): boolean {
    const [given, own] = [Buffer.from(secret), Buffer.from(this.password)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  count(bytes: number): void {
    this.bytes += bytes;
    if (this.isSpent) this.close();
  }

  refuse(): void {
    this.refused++;
  }

  /** Ends this when the pass ends; returns a function that unregisters it. */
  holds(end: () => void): () => void {
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  close(): void {
    this.#ended();
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}

/** Keeps connections to origins; the guard opens each of them. */
class GuardedAgent extends Agent {
  readonly #sockets: SocketOptions;
  readonly #proxies = new WeakMap<ProxyEndpoint, number>();
  #proxyCount = 0;

  constructor(sockets: SocketOptions) {
    super({ keepAlive: true, maxFreeSockets: 64, timeout: 30_000 });
    this.#sockets = sockets;
  }

  /** Connections through a proxy are shared only by pages that use it. */
  override getName(options: ClientRequestArgs & { via?: ProxyEndpoint }): string {
    const { via } = options;
    const name = super.getName(options);
    if (!via) return name;
    const key = this.#proxies.get(via) ?? ++this.#proxyCount;
    this.#proxies.set(via, key);
    return `${name}:via-${key}`;
  }

  override createConnection(
    options: ClientRequestArgs & { guardedOrigin?: URL; via?: ProxyEndpoint },
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { guardedOrigin, via } = options;
    const finish: Done = (...[error, socket]) => done?.(error, socket as unknown as Duplex);
    try {
      if (guardedOrigin) openSocket(guardedOrigin, this.#sockets, finish, via);
      else finish(new Error('a request of the proxy names its origin'), null);
    } catch (error) {
      finish(error as Error, null);
    }
  }
}

function withoutHopHeaders(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = new Set(
    (headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !hopHeaders.has(name) && !named.has(name),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

function authorizationOf(via: ProxyEndpoint | undefined): Record<string, string> {
  const authorization = via && proxyAuthorization(via);
  return authorization ? { 'proxy-authorization': authorization } : {};
}

function asTunnel(origin: string): string {
  const url = new URL(origin);
  return `http://${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
}

function isForbidden(error: Error): boolean {
  return 'code' in error && error.code === 'address_forbidden';
}
