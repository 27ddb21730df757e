import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type AddressGuard, bareHost } from './address-guard.ts';
import type { ResolveHost } from './resolve-host.ts';

export interface SocketOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  /** Certificates trusted instead of the system's. */
  readonly ca?: readonly string[] | undefined;
}

/**
 * The only place where fetching opens sockets, and so where the guard can't be got round: a literal is checked here
 * (Node calls no lookup hook for one), and a name is resolved once, checked, and connected to by what was checked.
 */
export function openSocket(origin: URL, options: SocketOptions, done: Done): Socket {
  const host = bareHost(origin);
  if (isIP(host) !== 0) options.guard.checkAddresses(origin.origin, [host]);
  const secure = origin.protocol === 'https:';
  const common = {
    host,
    port: Number(origin.port || (secure ? 443 : 80)),
    lookup: pinnedLookup(origin.origin, options),
    // As undici's own connector has it.
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

/** Answers the socket with the addresses that were checked, so that no second resolution can bring others. */
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
