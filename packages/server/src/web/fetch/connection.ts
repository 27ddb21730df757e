import { lookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Dispatcher } from 'undici';
import { ProxiedOpening, type ProxyStage } from '../proxy/open-through-proxy.ts';
import { isForwarded, type ProxyEndpoint, proxyAuthorization } from '../proxy/proxy-endpoint.ts';
import { type AddressGuard, bareHost } from './address-guard.ts';
import { Client } from './undici-parts.ts';

export interface SocketOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  /** Certificates trusted instead of the system's. */
  readonly ca?: readonly string[] | undefined;
  /** Through a proxy, always by a tunnel. */
  readonly alwaysTunnels?: boolean | undefined;
}

export interface ConnectionOptions extends SocketOptions {
  /** How long an idle connection is kept if the site does not say. */
  readonly keepAliveMs: number;
}

/** Node's limit of 16 KB fails sites that send 20 KB of policy headers. */
const maxHeaderSize = 64 * 1024;

/** The maximum for idle connections, whatever the site offers. */
const keepAliveMaxTimeout = 30_000;

/**
 * One connection to an origin, opened on first use and reopened after the site has closed it. One request at a time: with
 * HTTP/1.1 pipelining a slow page would delay the next ones.
 */
export class Connection {
  remoteAddress: string | undefined;
  readonly via: ProxyEndpoint | undefined;
  readonly #client: Client;
  readonly #origin: URL;
  #socket: OpeningSocket | undefined;

  /** `via`: the proxy that it goes through. */
  constructor(origin: URL, options: ConnectionOptions, via?: ProxyEndpoint) {
    this.via = via;
    this.#origin = origin;
    this.#client = new Client(origin, {
      connect: (_, done) => {
        this.#socket = openSocket(
          origin,
          options,
          (...[error, socket, address]) => {
            this.remoteAddress = address;
            if (error) done(error, null);
            else done(null, socket);
          },
          via,
        );
      },
      pipelining: 1,
      maxHeaderSize,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout,
      // ExchangeWatch enforces all deadlines: undici's bodyTimeout restarts with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** How far the way through the proxy is open; undefined without a proxy. */
  get stage(): ProxyStage | undefined {
    return this.#socket?.stage;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const isProxys = this.via && isForwarded(this.#origin, this.via);
    this.#client.dispatch(isProxys ? forwarded(options, this.#origin, this.via) : options, handler);
  }

  /** Closes the connection at once. The client alone would leave a socket that is still connecting. */
  destroy(): void {
    this.#socket?.destroy();
    this.#client.destroy().catch(() => {});
  }
}

/** A plain request to a proxy names the whole URL. */
function forwarded(
  options: Dispatcher.DispatchOptions,
  { origin }: URL,
  via: ProxyEndpoint,
): Dispatcher.DispatchOptions {
  const authorization = proxyAuthorization(via);
  const headers = options.headers as string[];
  return {
    ...options,
    path: `${origin}${options.path}`,
    headers: authorization ? [...headers, 'proxy-authorization', authorization] : headers,
  };
}

/** A socket that is being opened. */
export interface OpeningSocket {
  readonly stage?: ProxyStage;
  destroy(): void;
}

/**
 * The only place where fetching opens sockets, so that the guard cannot be bypassed: IP literals are checked here, because Node
 * calls no lookup hook for them; names are resolved once, checked, and connected to by the checked addresses. With a proxy, it
 * never connects to the origin itself.
 */
export function openSocket(
  origin: URL,
  options: SocketOptions,
  done: Done,
  via?: ProxyEndpoint,
): OpeningSocket {
  if (via) {
    const lookup = (proxyOrigin: string) => pinnedLookup(proxyOrigin, options);
    return new ProxiedOpening(origin, { ...options, lookup }, via, done);
  }
  const host = bareHost(origin);
  if (isIP(host) !== 0) options.guard.checkAddresses(origin.origin, [host]);
  const secure = origin.protocol === 'https:';
  const common = {
    host,
    port: Number(origin.port || (secure ? 443 : 80)),
    lookup: pinnedLookup(origin.origin, options),
    // As in undici's own connector.
    highWaterMark: 64 * 1024,
  };
  const socket = secure
    ? connectTls({
        ...common,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 && { servername: host }),
        ...(options.ca && { ca: [...options.ca] }),
      })
    : connectTcp(common);
  socket.setNoDelay(true).setKeepAlive(true, 60_000);
  const finish = (error: Error | null) => {
    socket.off('error', finish).off(connected, onConnected);
    if (error) done(error, null);
    else done(null, socket, socket.remoteAddress);
  };
  const connected = secure ? 'secureConnect' : 'connect';
  const onConnected = () => finish(null);
  socket.once('error', finish).once(connected, onConnected);
  return socket;
}

/** With the address of the origin, unless a proxy resolved it. */
export type Done = (
  ...result:
    | [error: null, socket: Socket | TLSSocket, address?: string | undefined]
    | [error: Error, socket: null, address?: undefined]
) => void;

/** Gives the socket the checked addresses, so that no second resolution can return others. */
function pinnedLookup(origin: string, { guard, resolve }: SocketOptions): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname)
      .then((addresses) => {
        guard.checkAddresses(
          origin,
          addresses.map(({ address }) => address),
        );
        const [first] = addresses;
        if (!first) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
        return { all: [...addresses], first };
      })
      .then(
        ({ all, first }) => (options.all ? done(null, all) : done(null, first.address, first.family)),
        (error: NodeJS.ErrnoException) => done(error, []),
      );
  };
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns every address of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The operating system's resolver, which knows the hosts file and the order of address families. */
export const resolveHost: ResolveHost = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });
