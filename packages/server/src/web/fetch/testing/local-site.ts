import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { certificate } from './certificate.ts';

export interface LocalSite {
  readonly origin: string;
  readonly port: number;
  /** `GET /path` of every request so far. */
  readonly requests: string[];
  /** How many connections were opened to it so far. */
  connections(): number;
  /** How many of them are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** A real HTTP server on loopback, whose closing cuts every connection. */
export function startSite(answer: RequestListener, port = 0): Promise<LocalSite> {
  return start(createServer(), 'http', answer, port);
}

export function startSecureSite(answer: RequestListener): Promise<LocalSite> {
  return start(createSecureServer(certificate) as unknown as Server, 'https', answer);
}

/** Answers every connection byte by byte as the test says: for what no HTTP server would send. */
export async function startRawSite(talk: (socket: Socket) => void): Promise<LocalSite> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  return listen(server as unknown as Server, 'http', []);
}

function start(server: Server, scheme: string, answer: RequestListener, port = 0): Promise<LocalSite> {
  const requests: string[] = [];
  server.on('request', (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  return listen(server, scheme, requests, port);
}

async function listen(server: Server, scheme: string, requests: string[], wanted = 0): Promise<LocalSite> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
