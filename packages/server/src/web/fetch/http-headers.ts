import type { IncomingHttpHeaders } from 'node:http';
import { HoldfastError, parseUrl } from '@holdfast/contract';
import { acceptEncoding } from './content-coding.ts';
import type { FetchHead, FetchRequest } from './fetcher.ts';

const defaultAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** What a crawl asks for. Markdown says more in fewer bytes, but often leaves out the navigation that a crawl follows. */
export const acceptForPages = {
  html: defaultAccept,
  'html or markdown': 'text/html,application/xhtml+xml,application/xml;q=0.9,text/markdown;q=0.8,*/*;q=0.7',
  'markdown or html': 'text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,*/*;q=0.7',
} as const;

/** Headers of the connection and of decoding. A different Host would reach a site past scope and robots.txt. */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** In undici's format: name, value, name, value. */
export function requestHeaders(request: FetchRequest, userAgent: string): string[] {
  const headers = [
    'user-agent',
    request.userAgent ?? userAgent,
    'accept',
    request.accept ?? defaultAccept,
    'accept-encoding',
    acceptEncoding,
  ];
  if (request.acceptLanguage) headers.push('accept-language', request.acceptLanguage);
  if (request.ifNoneMatch) headers.push('if-none-match', request.ifNoneMatch);
  if (request.ifModifiedSince) headers.push('if-modified-since', request.ifModifiedSince);
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const lower = name.toLowerCase();
    if (reserved.has(lower)) throw new HoldfastError('bad_request', `the header ${lower} cannot be set`);
    headers.push(lower, value);
  }
  return headers;
}

/** Limits the number of names; the parser limits the size (connection.ts). */
const maxNames = 200;

/** Ignore implausibly long validators. */
const maxValidator = 1024;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function readHead(url: string, status: number, raw: IncomingHttpHeaders): FetchHead {
  const headers = isPlain(raw) ? raw : plainHeaders(raw);
  return {
    url,
    status,
    headers,
    setCookies: readCookies(raw['set-cookie']),
    contentType: headers['content-type']?.slice(0, 256),
    contentLength: readLength(headers['content-length']),
    etag: readValidator(headers.etag),
    lastModified: readValidator(headers['last-modified']),
    retryAfterSeconds: retryAfterSeconds(headers['retry-after'], headers.date),
    robotsTag: readLines(raw['x-robots-tag']),
    location: redirects.has(status) ? readLocation(headers.location, url) : undefined,
  };
}

/** Most heads need no copy, which would be one of the larger objects of an exchange. */
function isPlain(raw: IncomingHttpHeaders): raw is Record<string, string> {
  let names = 0;
  for (const name in raw) {
    if (typeof raw[name] !== 'string' || name === 'set-cookie' || ++names > maxNames) return false;
  }
  return true;
}

function plainHeaders(raw: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  let names = 0;
  for (const name in raw) {
    const value = raw[name];
    if (value === undefined || name === 'set-cookie') continue;
    if (++names > maxNames) break;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

function readLength(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function readValidator(value: string | undefined): string | undefined {
  return value && value.length <= maxValidator ? value : undefined;
}

/** Browsers keep 180 cookies of a site, of 4 KB each. */
const maxCookies = 180;
const maxCookie = 8 * 1024;

function readCookies(raw: string | string[] | undefined): readonly string[] | undefined {
  if (raw === undefined) return undefined;
  const lines = typeof raw === 'string' ? [raw] : raw;
  return lines.slice(0, maxCookies).filter((line) => line.length <= maxCookie);
}

function readLines(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join('\n') : value;
}

/** Headers are Latin-1, but sites write UTF-8 into Location, as browsers expect. */
function readLocation(value: string | undefined, base: string): string | undefined {
  if (!value) return undefined;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  const target = text.includes('\ufffd') ? value : text;
  return parseUrl(target, base)?.href;
}

/** The longest time that a site can pause its source. */
const longestRetryAfter = 24 * 60 * 60;

/**
 * Parses both forms of Retry-After. A date is compared with the response's Date if there is one, because the site's clock may be
 * wrong.
 */
export function retryAfterSeconds(
  value: string | undefined,
  date: string | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Math.min(Number(value), longestRetryAfter);
  // Date.parse accepts numbers such as "1.5" too; HTTP dates begin with the name of a day.
  if (!/^\s*[A-Z][a-z]{2}/.test(value)) return undefined;
  const then = Date.parse(value);
  if (Number.isNaN(then)) return undefined;
  const sent = date === undefined ? Number.NaN : Date.parse(date);
  const seconds = Math.ceil((then - (Number.isNaN(sent) ? now : sent)) / 1000);
  return Math.min(Math.max(seconds, 0), longestRetryAfter);
}
