import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { certificate } from '../../fetch/testing/certificate.ts';

export interface LocalProxy {
  readonly port: number;
  /** `host:port` of every request, as requested. */
  readonly asked: string[];
  /** The ports that its connections to sites come from. */
  readonly ports: Set<number | undefined>;
  /** How many connections were opened to it. */
  connections(): number;
  close(): Promise<void>;
}

export interface LocalProxyOptions {
  readonly username?: string;
  readonly password?: string;
  /** The local site that all connections go to, whatever was requested. */
  readonly to?: number;
  /** Called before connecting. Returns false to continue. */
  readonly instead?: (target: string, client: Duplex) => boolean;
  readonly port?: number;
}

/** An HTTP proxy: CONNECT, and plain requests with the whole URL. */
export function startHttpProxy(options: LocalProxyOptions = {}): Promise<LocalProxy> {
  return httpProxy(createServer(), options);
}

/** The same behind TLS, with the certificate of tests. */
export function startHttpsProxy(options: LocalProxyOptions = {}): Promise<LocalProxy> {
  return httpProxy(createSecureServer(certificate) as unknown as Server, options);
}

function httpProxy(server: Server, options: LocalProxyOptions): Promise<LocalProxy> {
  const asked: string[] = [];
  const ports: LocalProxy['ports'] = new Set();
  const isAllowed = ({ headers }: IncomingMessage) =>
    options.username === undefined ||
    headers['proxy-authorization'] ===
      `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  server.on('connect', (incoming, client, head) => {
    client.on('error', () => client.destroy());
    if (!isAllowed(incoming)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    asked.push(incoming.url ?? '');
    if (options.instead?.(incoming.url ?? '', client)) return;
    const upstream = connect(portOf(incoming.url, options), '127.0.0.1', () => {
      ports.add(upstream.localPort);
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      join(client, upstream);
    });
    upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
  });
  server.on('request', (incoming, answer) => {
    if (!isAllowed(incoming)) {
      answer.writeHead(407).end();
      return;
    }
    const url = new URL(incoming.url ?? '', 'http://none.invalid');
    asked.push(incoming.url ?? '');
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    request({
      host: '127.0.0.1',
      port: options.to ?? Number(url.port || 80),
      path: `${url.pathname}${url.search}`,
      method: incoming.method,
      headers,
    })
      .once('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      })
      .once('error', () => answer.writeHead(502, { 'proxy-status': 'local; error=connection_refused' }).end())
      .end();
  });
  return listen(server, { asked, ports }, options.port);
}

/** SOCKS5 (RFC 1928, 1929). `reply`: its answer to every request instead of connecting. */
export function startSocksProxy(
  options: LocalProxyOptions & { readonly reply?: number } = {},
): Promise<LocalProxy> {
  const asked: string[] = [];
  const server = createTcpServer(
    (client) => void serveSocks(client, asked, options).catch(() => client.destroy()),
  );
  return listen(server as unknown as Server, { asked, ports: new Set() }, options.port);
}

async function serveSocks(
  client: Socket,
  asked: string[],
  options: LocalProxyOptions & { readonly reply?: number },
): Promise<void> {
  client.on('error', () => client.destroy());
  const read = reader(client);
  const [, methods = 0] = await read(2);
  const offered = await read(methods);
  const method = options.username === undefined ? 0 : 2;
  if (!offered.includes(method)) {
    client.end(Buffer.from([5, 0xff]));
    return;
  }
  client.write(Buffer.from([5, method]));
  if (method === 2) {
    const [, nameLength = 0] = await read(2);
    const name = (await read(nameLength)).toString();
    const [secretLength = 0] = await read(1);
    const secret = (await read(secretLength)).toString();
    const isRight = name === options.username && secret === options.password;
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) {
      client.end();
      return;
    }
  }
  const [, , , type] = await read(4);
  const host = await readHost(type, read);
  const port = (await read(2)).readUInt16BE();
  const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  asked.push(target);
  if (options.instead?.(target, client)) return;
  const answer = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  if (options.reply !== undefined) {
    client.end(answer(options.reply));
    return;
  }
  const upstream = connect(options.to ?? port, '127.0.0.1', () => {
    client.write(answer(0));
    join(client, upstream);
  });
  upstream.once('error', () => client.end(answer(5)));
}

async function readHost(type: number | undefined, read: (bytes: number) => Promise<Buffer>): Promise<string> {
  if (type === 1) return [...(await read(4))].join('.');
  if (type === 3) return (await read((await read(1))[0] ?? 0)).toString();
  const parts = await read(16);
  const groups = Array.from({ length: 8 }, (_, index) => parts.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const piece = socket.read(bytes) as Buffer | null;
      if (piece) return piece;
      if (socket.destroyed || socket.readableEnded) throw new Error('ended');
      await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
    }
  };
}

function portOf(target: string | undefined, { to }: LocalProxyOptions): number {
  return to ?? Number(target?.split(':').at(-1));
}

function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  upstream.on('error', () => client.destroy());
  client.on('error', () => upstream.destroy());
  client.once('close', () => upstream.destroy());
}

async function listen(
  server: Server,
  notes: Pick<LocalProxy, 'asked' | 'ports'>,
  port = 0,
): Promise<LocalProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ...notes,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      if (server.listening) await once(server, 'close');
    },
  };
}
