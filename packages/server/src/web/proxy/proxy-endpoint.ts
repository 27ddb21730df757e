import { HoldfastError, type ProxyServer } from '@holdfast/contract';

/** One proxy server of a pool. */
export interface ProxyEndpoint extends ProxyServer {
  /** The name for pages, logs and errors, such as `eu` or `eu#2`: the pool's name and the position in its list. */
  readonly name: string;
  /** The proxy may be in a private network, because its operator also controls the allow-list. */
  readonly mayBePrivate: boolean;
}

/**
 * proxy  it cannot be reached, refuses us, or does not speak its protocol
 * route  it works, but brings nothing from this host: either may be at fault
 */
export type ProxyBlame = 'proxy' | 'route';

/** A failure of a proxy, which says nothing about the health of the site. */
export class ProxyFailure extends HoldfastError {
  /** Private, so that no log prints the password with the error. */
  readonly #endpoint: ProxyEndpoint;
  readonly blame: ProxyBlame;
  /** The proxy refused the credentials. */
  readonly isUnauthorized: boolean;
  /** The site may have received the request. */
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

/** Requests are sent to the proxy with the absolute URL, which it resolves. Only for plain http. */
export function isForwarded(origin: URL, { scheme, resolvesNames }: ProxyEndpoint): boolean {
  return resolvesNames && scheme !== 'socks5' && origin.protocol === 'http:';
}

/** The Proxy-Authorization header, if the proxy has credentials. */
export function proxyAuthorization({ username, password = '' }: ProxyEndpoint): string | undefined {
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
