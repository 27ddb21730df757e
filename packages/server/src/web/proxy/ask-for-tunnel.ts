import { request } from 'node:http';
import type { Socket } from 'node:net';
import { type ProxyEndpoint, ProxyFailure, proxyAuthorization } from './proxy-endpoint.ts';

interface TunnelTarget {
  /** An address, or a host name if the proxy resolves names. */
  readonly host: string;
  readonly port: number;
}

/** Asks the proxy to connect to the target. Afterwards, the socket is a tunnel to it. */
export async function askForTunnel(proxy: Socket, via: ProxyEndpoint, target: TunnelTarget): Promise<void> {
  if (via.scheme === 'socks5') await askSocks(proxy, via, target);
  else await askHttp(proxy, via, target);
}

function askHttp(proxy: Socket, via: ProxyEndpoint, { host, port }: TunnelTarget): Promise<void> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(via);
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path,
      createConnection: () => proxy,
      headers: { host: path, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    connect.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      connect.removeAllListeners('error').on('error', () => {});
      if (statusCode < 200 || statusCode > 299) {
        reject(httpRefusal(via, statusCode));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    // A server without CONNECT responds as to a page request.
    connect.once('response', ({ statusCode = 0 }) => reject(httpRefusal(via, statusCode)));
    connect.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.message;
      reject(
        code.startsWith('HPE_')
          ? new ProxyFailure(via, 'proxy', 'does not answer like an HTTP proxy')
          : new ProxyFailure(via, 'route', `the proxy closed the connection (${code})`),
      );
    });
    connect.end();
  });
}

/** Which responses to CONNECT concern the target, and which concern us. */
export function httpRefusal(via: ProxyEndpoint, status: number): ProxyFailure {
  // tinyproxy answers 401 to wrong credentials.
  if (status === 407 || status === 401)
    return new ProxyFailure(
      via,
      'proxy',
      via.username === undefined
        ? `the proxy asks for a user name and password (HTTP ${status})`
        : `the proxy refuses the user name or password (HTTP ${status})`,
      { isUnauthorized: true },
    );
  if (status === 403)
    return new ProxyFailure(via, 'route', 'the proxy does not allow this connection (HTTP 403)');
  if (status >= 500)
    return new ProxyFailure(via, 'route', `the proxy could not reach the site (HTTP ${status})`);
  return new ProxyFailure(via, 'proxy', `the proxy answered HTTP ${status} to CONNECT`);
}

async function askSocks(proxy: Socket, via: ProxyEndpoint, { host, port }: TunnelTarget): Promise<void> {
  // Loaded on demand, because few need it.
  const { SocksClient } = await import('socks');
  const { username, password = '' } = via;
  try {
    await SocksClient.createConnection({
      proxy: {
        host: via.host,
        port: via.port,
        type: 5,
        ...(username !== undefined && { userId: username, password }),
      },
      command: 'connect',
      destination: { host, port },
      existing_socket: proxy,
      // The deadline is the fetcher's.
      timeout: 60_000,
    });
  } catch (error) {
    // Without the error itself: it carries the password.
    throw socksRefusal(via, (error as Error).message);
  }
}

function socksRefusal(via: ProxyEndpoint, message: string): ProxyFailure {
  if (/Authentication failed|no accepted authentication/i.test(message))
    return new ProxyFailure(
      via,
      'proxy',
      via.username === undefined
        ? 'the proxy asks for a user name and password'
        : 'the proxy refuses the user name or password',
      { isUnauthorized: true },
    );
  const reply = /rejected connection - (\w+)/.exec(message)?.[1];
  const words = reply && replies[reply];
  if (words) return new ProxyFailure(via, 'route', words);
  if (message === 'Socket closed') return new ProxyFailure(via, 'route', 'the proxy closed the connection');
  if (/Received invalid/.test(message))
    return new ProxyFailure(via, 'proxy', 'does not answer like a SOCKS5 proxy');
  return new ProxyFailure(via, 'route', 'the proxy refused the connection');
}

const replies: Readonly<Record<string, string>> = {
  Failure: 'the proxy could not connect (general failure)',
  NotAllowed: 'the proxy does not allow this connection',
  NetworkUnreachable: 'the proxy cannot reach the network of the site',
  HostUnreachable: 'the proxy cannot reach the site',
  ConnectionRefused: 'the site refused the connection of the proxy',
  TTLExpired: 'the proxy got no answer from the site in time',
  AddressNotSupported: 'the proxy does not support this kind of address',
};
