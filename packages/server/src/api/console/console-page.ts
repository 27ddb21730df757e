import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';
import { consoleFolder } from './console-folder.ts';

/** Our own files and nothing else: crawled text that got into a page as more than text would still not run. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

let files: readonly ConsoleFile[] | undefined;

/** Every file of the console, read once; none if it was not built. */
export function consoleFiles(): readonly ConsoleFile[] {
  const folder = consoleFolder();
  files ??= folder ? readConsoleFiles(folder) : [];
  return files;
}

/** The one page of the console, which shows the view that the address names. */
export function consolePage(): ConsoleFile | undefined {
  return consoleFiles().find(({ path }) => path === 'index.html');
}

export function sendConsoleFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
): FastifyReply {
  const { path, type, body, zipped, etag } = file;
  reply
    .type(type)
    .header('content-security-policy', policy)
    // Built files carry a hash of their content in their name.
    .header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', etag)
    .header('vary', 'accept-encoding');
  if (reply.statusCode === 200 && request.headers['if-none-match']?.includes(etag))
    return reply.code(304).send();
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '');
  return acceptsGzip ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(body);
}
