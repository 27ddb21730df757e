import { lookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Dispatcher } from 'undici';
import { type AddressGuard, bareHost } from './address-guard.ts';
import { Client } from './undici-parts.ts';

export interface SocketOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  /** Certificates trusted instead of the system's. */
  readonly ca?: readonly string[] | undefined;
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
  readonly #client: Client;
  #socket: Socket | undefined;

  constructor(origin: URL, options: ConnectionOptions) {
    this.#client = new Client(origin, {
      connect: (_, done) => {
        this.#socket = openSocket(origin, options, (...result) => {
          this.remoteAddress = result[1]?.remoteAddress;
          done(...result);
        });
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

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Closes the connection at once. The client alone would leave a socket that is still connecting. */
  destroy(): void {
    this.#socket?.destroy();
    this.#client.destroy().catch(() => {});
  }
}

/**
 * The only place where fetching opens sockets, so that the guard cannot be bypassed: IP literals are checked here, because Node
 * calls no lookup hook for them; names are resolved once, checked, and connected to by the checked addresses.
 */
export function openSocket(origin: URL, options: SocketOptions, done: Done): Socket {
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
    else done(null, socket);
  };
  const connected = secure ? 'secureConnect' : 'connect';
  const onConnected = () => finish(null);
  socket.once('error', finish).once(connected, onConnected);
  return socket;
}

type Done = (...result: [null, Socket | TLSSocket] | [Error, null]) => void;

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
