import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type AddressGuard, bareHost } from '../fetch/address-guard.ts';
import { askForTunnel } from './ask-for-tunnel.ts';
import { isForwarded, type ProxyEndpoint, ProxyFailure } from './proxy-endpoint.ts';

export interface ProxiedSocketOptions {
  readonly guard: AddressGuard;
  readonly resolve: (hostname: string) => Promise<readonly { address: string; family: number }[]>;
  /** Gives a socket checked addresses only. */
  readonly lookup: (origin: string) => LookupFunction;
  /** Certificates trusted instead of the system's. */
  readonly ca?: readonly string[] | undefined;
  /** The caller passes on foreign bytes and needs a tunnel for any scheme. */
  readonly alwaysTunnels?: boolean | undefined;
}

/**
 * Progress of an attempt: connecting to the proxy, waiting for the proxy to reach the site, or connected to the site.
 */
export type ProxyStage = 'proxy' | 'target' | 'site';

export type ProxiedDone = (
  ...result:
    | [error: null, socket: Socket | TLSSocket, address?: string | undefined]
    | [error: Error, socket: null, address?: undefined]
) => void;

/**
 * A connection to an origin through a proxy. The proxy is asked to connect to the address that the guard checked; TLS
 * with the site runs inside the tunnel and verifies the certificate against the host name. Never connects to the site
 * directly.
 */
export class ProxiedOpening {
  stage: ProxyStage = 'proxy';
  readonly #origin: URL;
  readonly #options: ProxiedSocketOptions;
  readonly #via: ProxyEndpoint;
  #socket: Socket | undefined;
  #isDestroyed = false;

  /** Throws if the URL's host is a forbidden address. */
  constructor(origin: URL, options: ProxiedSocketOptions, via: ProxyEndpoint, done: ProxiedDone) {
    this.#origin = origin;
    this.#options = options;
    this.#via = via;
    const host = bareHost(origin);
    if (isIP(host) !== 0) options.guard.checkAddresses(origin.origin, [host]);
    void this.#open(host).then(
      ({ socket, address }) => done(null, socket, address),
      (error: Error) => {
        this.destroy();
        done(error, null);
      },
    );
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#socket?.destroy();
  }

  async #open(host: string): Promise<{ socket: Socket; address: string | undefined }> {
    const target = isIP(host) === 0 && !this.#via.resolvesNames ? await this.#resolve(host) : host;
    const proxy = await this.#connect();
    this.stage = 'target';
    const port = Number(this.#origin.port || (this.#origin.protocol === 'https:' ? 443 : 80));
    const isPlain = isForwarded(this.#origin, this.#via) && !this.#options.alwaysTunnels;
    if (!isPlain) await askForTunnel(proxy, this.#via, { host: target, port });
    this.#checkAlive();
    this.stage = 'site';
    const socket = this.#origin.protocol === 'https:' ? await this.#secure(proxy, host) : proxy;
    return { socket, address: isIP(target) === 0 ? undefined : target };
  }

  /** One address for the proxy to connect to. Many proxies have no IPv6. */
  async #resolve(host: string): Promise<string> {
    const { guard, resolve } = this.#options;
    const addresses = await resolve(host);
    guard.checkAddresses(
      this.#origin.origin,
      addresses.map(({ address }) => address),
    );
    const chosen = addresses.find(({ family }) => family === 4) ?? addresses[0];
    if (!chosen) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
    this.#checkAlive();
    return chosen.address;
  }

  async #connect(): Promise<Socket> {
    const { host, port, scheme, mayBePrivate } = this.#via;
    const { guard, lookup, ca } = this.#options;
    // As an origin, so that the allow-list can name it.
    const { origin } = new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
    const common = {
      host,
      port,
      ...(!mayBePrivate && { lookup: lookup(origin) }),
      highWaterMark: 64 * 1024,
    };
    if (!mayBePrivate && isIP(host) !== 0) guard.checkAddresses(origin, [host]);
    const isSecure = scheme === 'https';
    const socket = isSecure
      ? connectTls({
          ...common,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 && { servername: host }),
          ...(ca && { ca: [...ca] }),
        })
      : connectTcp(common);
    this.#socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    await this.#ready(socket, isSecure ? 'secureConnect' : 'connect', (error) => {
      const { code = error.message } = error;
      return code === 'address_forbidden' ? error : this.#failure('proxy', `cannot be reached (${code})`);
    });
    return socket;
  }

  async #secure(tunnel: Socket, host: string): Promise<TLSSocket> {
    const { ca } = this.#options;
    const socket = connectTls({
      socket: tunnel,
      host,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca && { ca: [...ca] }),
    });
    this.#socket = socket;
    // A broken connection proves nothing; a bad certificate is the site's, or that of an intercepting proxy.
    await this.#ready(socket, 'secureConnect', (error) =>
      /^(ECONNRESET|EPIPE|ETIMEDOUT)$/.test(error.code ?? '')
        ? this.#failure('route', `the connection to the site broke off (${error.code})`)
        : error,
    );
    return socket;
  }

  async #ready(
    socket: Socket,
    event: 'connect' | 'secureConnect',
    failure: (error: NodeJS.ErrnoException) => Error,
  ): Promise<void> {
    this.#checkAlive();
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        socket.off('error', onError).off('close', onClose).off(event, onReady);
        // Later events belong to the new owner of the socket.
        if (error) socket.on('error', () => {});
        if (error) reject(error);
        else resolve();
      };
      const onError = (error: NodeJS.ErrnoException) => settle(failure(error));
      const onClose = () => settle(failure(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      const onReady = () => settle();
      socket.once('error', onError).once('close', onClose).once(event, onReady);
    });
  }

  #failure(blame: 'proxy' | 'route', what: string): ProxyFailure {
    return new ProxyFailure(this.#via, blame, what);
  }

  #checkAlive(): void {
    if (!this.#isDestroyed) return;
    this.#socket?.destroy();
    throw new Error('the connection is no longer needed');
  }
}
