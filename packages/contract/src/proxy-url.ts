import { HoldfastError } from './errors.ts';
import { parseUrl } from './parse-url.ts';

export const proxySchemes = ['http', 'https', 'socks5'] as const;
export type ProxyScheme = (typeof proxySchemes)[number];

/** A proxy server as its URL describes it. Username and password are secrets. */
export interface ProxyServer {
  readonly scheme: ProxyScheme;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The proxy resolves host names (socks5h). */
  readonly resolvesNames: boolean;
}

const standardPorts: Readonly<Record<ProxyScheme, number>> = { http: 80, https: 443, socks5: 1080 };

/** What is wrong with the URL of a proxy; the text never contains any part of it, because it may hold a password. */
export function proxyUrlProblem(text: string): string | undefined {
  const found = readProxyUrl(text);
  return typeof found === 'string' ? found : undefined;
}

export function parseProxyUrl(text: string): ProxyServer {
  const found = readProxyUrl(text);
  if (typeof found === 'string') throw new HoldfastError('bad_request', `the URL of a proxy ${found}`);
  return found;
}

/** `socks5://proxy.example:1080`, without credentials, for people. */
export function proxyAddress({ scheme, host, port }: Pick<ProxyServer, 'scheme' | 'host' | 'port'>): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readProxyUrl(text: string): ProxyServer | string {
  const [, given = ''] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text.trim()) ?? [];
  const scheme = given.toLowerCase();
  if (!/^(https?|socks5h?)$/.test(scheme))
    return 'must start with http://, https://, socks5:// or socks5h://, such as http://user:password@proxy.example:3128';
  // As http, because URL treats hosts of other schemes as opaque text. A port of 80 would disappear.
  const rest = text.trim().slice(scheme.length);
  const url = parseUrl(`http${rest}`);
  if (!url || url.hostname === '')
    return 'is not a valid URL; percent-encode special characters in the password';
  if ((url.pathname !== '/' && url.pathname !== '') || url.search || url.hash)
    return 'must end after host and port; percent-encode special characters in the password';
  const kind = scheme.replace(/h$/, '') as ProxyScheme;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  let username: string;
  let password: string;
  try {
    username = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
  } catch {
    return 'has a % in its credentials that starts no percent-encoded character';
  }
  if (username.includes(':') && kind !== 'socks5')
    return 'has a colon in its user name, which no HTTP proxy can read';
  if ([username, password].some((part) => new TextEncoder().encode(part).length > 255))
    return 'has a user name or password of more than 255 bytes';
  const port = /:0*80$/.test(rest.replace(/\/$/, '')) ? 80 : Number(url.port || standardPorts[kind]);
  return {
    scheme: kind,
    host,
    port,
    ...(username !== '' && { username }),
    ...((password !== '' || username !== '') && { password }),
    resolvesNames: scheme === 'socks5h',
  };
}
