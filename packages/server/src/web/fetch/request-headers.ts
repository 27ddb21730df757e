import { HoldfastError } from '@holdfast/contract';
import { acceptEncoding } from './content-coding.ts';
import type { FetchRequest } from './fetcher.ts';

const defaultAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** They belong to the connection, or to what we can undo; a Host of its own would reach a site past scope and robots. */
const refused: ReadonlySet<string> = new Set([
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

/** As undici takes them: name, value, name, value. */
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
    if (refused.has(lower)) throw new HoldfastError('bad_request', `the header ${lower} cannot be set`);
    headers.push(lower, value);
  }
  return headers;
}
