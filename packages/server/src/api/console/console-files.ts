import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Allows files of this server only: injected script from crawled content would not run. */
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

/** The files of the console, read once; empty if it was not built. */
export function consoleFiles(): readonly ConsoleFile[] {
  const folder = consoleFolder();
  files ??= folder ? readConsoleFiles(folder) : [];
  return files;
}

/** The single page of the console; it shows the view of the path. */
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
    // Names of built files contain a hash of their content.
    .header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', etag)
    .header('vary', 'accept-encoding');
  if (reply.statusCode === 200 && request.headers['if-none-match']?.includes(etag))
    return reply.code(304).send();
  const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '');
  return acceptsGzip ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(body);
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface ConsoleFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/** Reads the built console into memory (under 1 MB): a server keeps its version when the package is replaced. */
function readConsoleFiles(folder: string): ConsoleFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const body = readFileSync(file);
      return {
        path: file.slice(folder.length + 1).replaceAll('\\', '/'),
        type: types[extname(entry.name)] ?? 'application/octet-stream',
        body,
        zipped: gzipSync(body, { level: 9 }),
        etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      };
    });
}

/** The folder of the built console: beside the bundle, or in dist when running from source. */
function consoleFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
  const console = join(folder, 'dist/console');
  return existsSync(join(console, 'index.html')) ? console : undefined;
}
