import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '@holdfast/contract';
import type { FetchHead } from './fetcher.ts';
import { retryAfterSeconds } from './retry-after-seconds.ts';

/** The size of a head is bounded by the parser (connection.ts); this bounds the number of names. */
const maxNames = 200;
/** What is longer than any honest validator is none. */
const maxValidator = 1024;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function readHead(url: string, status: number, raw: IncomingHttpHeaders): FetchHead {
  const headers = isPlain(raw) ? raw : plainHeaders(raw);
  return {
    url,
    status,
    headers,
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

function readLines(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join('\n') : value;
}

/** Headers come as Latin-1; sites write UTF-8 into Location, and browsers read it as that. */
function readLocation(value: string | undefined, base: string): string | undefined {
  if (!value) return undefined;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  const target = text.includes('\ufffd') ? value : text;
  return parseUrl(target, base)?.href;
}
