import { isIP } from 'node:net';
import { badPorts, HoldfastError, parseUrl } from '@holdfast/contract';
import ipaddr from 'ipaddr.js';

/** Names that are never public (RFC 6761, 6762, 8375, ICANN's .internal), as are all names without a dot. */
const privateSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'intranet', 'lan', 'corp', 'home'];

/**
 * Keeps requests away from private networks. It checks a URL before anything is resolved, and every address when a socket is
 * opened to it (connection.ts). The allow-list exempts single origins; there is no way to exempt all.
 */
export class AddressGuard {
  readonly #allowed: ReadonlySet<string>;

  /** `allowOrigins`: exact, as scheme://host:port; the default port may be omitted. */
  constructor(allowOrigins: readonly string[] = []) {
    this.#allowed = new Set(allowOrigins.map(readOrigin));
  }

  allows(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  /** Throws if the text of the URL shows that it must not be fetched. */
  checkUrl(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new HoldfastError('url_invalid', `its scheme is ${url.protocol.slice(0, -1)}`);
    }
    if (this.allows(url.origin)) return;
    if (url.port !== '' && badPorts.has(Number(url.port))) {
      throw new HoldfastError('url_invalid', `port ${url.port} is blocked`);
    }
    if (!isPublicHost(url)) throw forbidden();
  }

  /**
   * Throws unless all addresses of a name are public. Public sites have no private addresses; only an attacker mixes them to pass
   * this check.
   */
  checkAddresses(origin: string, addresses: readonly string[]): void {
    if (this.allows(origin)) return;
    if (!addresses.every(isPublicAddress)) throw forbidden();
  }
}

/** Whether the text of a URL's host allows it to be public. A name may still resolve to a private address. */
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

/** Without address or reason: the text must not reveal what is there. */
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

type Parts = readonly number[];

/** Azure's wire server, on an address that is public according to the registries. */
const metadataOnPublicAddress = '168.63.129.16';

/**
 * Whether an address is globally routable unicast, including any IPv4 address embedded in an IPv6 one. The addresses of cloud
 * metadata (169.254.169.254, fd00:ec2::254, 100.100.100.200) are link-local, unique local and carrier-grade NAT.
 */
export function isPublicAddress(address: string): boolean {
  // Strict: ipaddr.js also parses octal and short forms, which no resolver returns.
  const family = isIP(address);
  if (family === 4) return isPublicIPv4(address);
  return family === 6 && isPublicIPv6(address);
}

function isPublicIPv4(address: string): boolean {
  return address !== metadataOnPublicAddress && ipaddr.IPv4.parse(address).range() === 'unicast';
}

function isPublicIPv6(address: string): boolean {
  // A zone is an interface of this machine.
  if (address.includes('%')) return false;
  // ipaddr.js confuses `::1.2.3.4` with `::ffff:1.2.3.4`; the URL parser writes both in hexadecimal.
  const parsed = ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
  const range = parsed.range();
  // Operating systems connect to these over IPv4, directly or through the NAT64 of an IPv6-only network.
  if (range === 'ipv4Mapped') return isPublicIPv4(lastIPv4(parsed.parts));
  if (isNat64(parsed.parts)) return isPublicIPv4(lastIPv4(parsed.parts));
  // Only 2000::/3 is global unicast, which excludes IPv4-compatible (::/96) and unassigned addresses. 6to4 and Teredo have other
  // ranges here and are always refused: both are obsolete (RFC 7526) and tunnel to IPv4.
  if (range !== 'unicast' || ((parsed.parts[0] ?? 0) & 0xe000) !== 0x2000) return false;
  return !isIsatap(parsed.parts) || isPublicIPv4(lastIPv4(parsed.parts));
}

/** 64:ff9b::/96 (RFC 6052). 64:ff9b:1::/48 is for local use (RFC 8215) and refused. */
function isNat64(parts: Parts): boolean {
  return parts[0] === 0x64 && parts[1] === 0xff9b && parts.slice(2, 6).every((part) => part === 0);
}

/** Interface identifier ::0:5efe:a.b.c.d or ::200:5efe:a.b.c.d under any prefix (RFC 5214). */
function isIsatap(parts: Parts): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

function lastIPv4(parts: Parts): string {
  const [high = 0, low = 0] = parts.slice(6);
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}
