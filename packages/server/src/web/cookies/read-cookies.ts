import { HoldfastError } from '@holdfast/contract';
import type { StoredCookie } from './cookie-box.ts';

export interface CookieSources {
  readonly cookies?: readonly StoredCookie[] | undefined;
  readonly cookies_txt?: string | undefined;
  readonly storage_state?: { readonly cookies: readonly StoredCookie[] } | undefined;
}

/** All cookies of a profile. A Cookie header names no domain, so its cookies belong to the hosts of the origins. */
export function readCookies(
  { cookies = [], cookies_txt, storage_state }: CookieSources,
  origins: readonly string[],
  header?: string,
): StoredCookie[] {
  const all = [
    ...cookies,
    ...(storage_state?.cookies ?? []),
    ...(cookies_txt === undefined ? [] : readCookiesTxt(cookies_txt)),
  ].map(normalised);
  if (header === undefined) return all;
  const hosts = [...new Set(origins.map((origin) => new URL(origin.replace('//*.', '//')).hostname))];
  return [...all, ...hosts.flatMap((domain) => readHeader(header, domain))];
}

/** `.example.com` and `example.com` differ in whether subdomains get the cookie. */
function normalised(cookie: StoredCookie): StoredCookie {
  const { name, value, domain, path, expires, secure, httpOnly, sameSite } = cookie;
  return {
    name,
    value,
    domain: domain.replace(/^\./, '').toLowerCase(),
    ...(!domain.startsWith('.') && { hostOnly: true }),
    ...(path !== undefined && path !== '/' && { path }),
    ...(expires !== undefined && expires > 0 && { expires }),
    ...(secure && { secure }),
    ...(httpOnly && { httpOnly }),
    ...(sameSite && { sameSite }),
  };
}

function readHeader(header: string, domain: string): StoredCookie[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, Math.max(at, 0)), value: pair.slice(at + 1), domain, hostOnly: true };
    });
}

/** domain, include subdomains, path, secure, expires, name, value: separated by tabs. */
function readCookiesTxt(text: string): StoredCookie[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const httpOnly = line.startsWith('#HttpOnly_');
    const fields = httpOnly ? line.slice('#HttpOnly_'.length) : line;
    if (fields.trim() === '' || fields.startsWith('#')) return [];
    const [domain = '', wide = '', path = '', secure = '', expires = '', name, ...value] = fields.split('\t');
    // The message must not contain the line, which is secret.
    if (name === undefined || domain === '' || !path.startsWith('/') || !/^-?\d+(\.\d+)?$/.test(expires))
      throw new HoldfastError(
        'bad_request',
        `line ${index + 1} of the cookies.txt file does not have seven fields separated by tabs`,
      );
    const isWide = wide.toUpperCase() === 'TRUE';
    return [
      {
        name,
        value: value.join('\t'),
        domain: isWide ? `.${domain.replace(/^\./, '')}` : domain.replace(/^\./, ''),
        path,
        secure: secure.toUpperCase() === 'TRUE',
        expires: Number(expires) || -1,
        httpOnly,
      },
    ];
  });
}
