import { isIP } from 'node:net';
import { badPorts, HoldfastError, parseUrl } from '@holdfast/contract';
import { isPublicAddress } from './public-address.ts';

/** Names that are never public sites (RFC 6761, 6762, 8375, ICANN's .internal); so is any name without a dot. */
const privateSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'intranet', 'lan', 'corp', 'home'];

/**
 * Keeps requests off the network Holdfast stands in. It judges a URL before anything is asked about it, and every
 * address at the moment a socket is opened to it (open-socket.ts). The allow-list lifts it for single origins; there
 * is no switch that lifts it for all.
 */
export class AddressGuard {
  readonly #allowed: ReadonlySet<string>;

  /** `allowOrigins`: exact, as scheme://host:port; the port may be left out where it is the scheme's own. */
  constructor(allowOrigins: readonly string[] = []) {
    this.#allowed = new Set(allowOrigins.map(readOrigin));
  }

  allows(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  /** Throws unless the URL may be fetched, as far as its text tells. */
  checkUrl(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new HoldfastError('url_invalid', `its scheme is ${url.protocol.slice(0, -1)}`);
    }
    if (this.allows(url.origin)) return;
    if (url.port !== '' && badPorts.has(Number(url.port))) {
      throw new HoldfastError('url_invalid', `port ${url.port} is not one of the web`);
    }
    if (!isPublicHost(url)) throw forbidden();
  }

  /**
   * Throws unless every one of a name's addresses is public. One bad answer refuses the name: a public site has none,
   * so using only the good ones would serve nobody but who mixes them to get past this check.
   */
  checkAddresses(origin: string, addresses: readonly string[]): void {
    if (this.allows(origin)) return;
    if (!addresses.every(isPublicAddress)) throw forbidden();
  }
}

/** Whether a URL's host may be public, as far as its text tells: a name may still stand for a private address. */
export function isPublicHost(url: URL): boolean {
  const host = bareHost(url);
  return isIP(host) === 0 ? !isPrivateName(host) : isPublicAddress(host);
}

/** The host without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function isPrivateName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return !name.includes('.') || privateSuffixes.some((suffix) => name.endsWith(`.${suffix}`));
}

/** Without a word on which address or why: the text must not tell what is there. */
function forbidden(): HoldfastError {
  return new HoldfastError('address_forbidden');
}

function readOrigin(text: string): string {
  const url = parseUrl(text);
  const isOrigin = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if (!isOrigin || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HoldfastError(
      'config_invalid',
      `${text} is not an origin such as http://intranet.example:8080`,
    );
  }
  return url.origin;
}
