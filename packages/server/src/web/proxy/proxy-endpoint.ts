import { HoldfastError, type ProxyServer } from '@holdfast/contract';

/** One proxy server of a pool. */
export interface ProxyEndpoint extends ProxyServer {
  /** For pages, logs and errors, such as `eu` or `eu#2`: the pool's name, and its place in a list. */
  readonly name: string;
  /** The proxy may stand in a private network: whoever configured it can configure the allow-list too. */
  readonly mayBePrivate: boolean;
}

/**
 * proxy  it cannot be reached, refuses us, or does not speak its protocol
 * route  it works, but brings nothing from this host: either may be at fault
 */
export type ProxyBlame = 'proxy' | 'route';

/** A failure on the way through a proxy. It says nothing about the health of the site. */
export class ProxyFailure extends HoldfastError {
  /** Private, so that no log prints the password with the error. */
  readonly #endpoint: ProxyEndpoint;
  readonly blame: ProxyBlame;
  /** The proxy refused the credentials. */
  readonly isUnauthorized: boolean;
  /** The site may have got the request. */
  readonly isSent: boolean;

  constructor(
    endpoint: ProxyEndpoint,
    blame: ProxyBlame,
    what: string,
    { isUnauthorized = false, isSent = false }: { isUnauthorized?: boolean; isSent?: boolean } = {},
  ) {
    super('proxy_failed', `${endpoint.name}: ${what}`);
    this.#endpoint = endpoint;
    this.blame = blame;
    this.isUnauthorized = isUnauthorized;
    this.isSent = isSent;
  }

  get endpoint(): ProxyEndpoint {
    return this.#endpoint;
  }
}

/** Requests to it are sent to the proxy itself, with the whole URL, which it resolves. Only plain http can be sent so. */
export function isForwarded(origin: URL, { scheme, resolvesNames }: ProxyEndpoint): boolean {
  return resolvesNames && scheme !== 'socks5' && origin.protocol === 'http:';
}

/** The Proxy-Authorization header, if the proxy has credentials. */
export function proxyAuthorization({ username, password = '' }: ProxyEndpoint): string | undefined {
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
