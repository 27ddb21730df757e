import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface ConsoleFile {
  /** Within the folder, with slashes. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

/**
 * Every file of the built console. They are kept in memory (less than a megabyte), so that a server whose package is
 * replaced under it goes on serving the console that it began with, whole.
 */
export function readConsoleFiles(folder: string): ConsoleFile[] {
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
