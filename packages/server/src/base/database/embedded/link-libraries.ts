import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { HoldfastError } from '@holdfast/contract';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Makes the links between library names that an npm package cannot carry. Its install script does the same, but npm
 * may not run install scripts (`--ignore-scripts`, or npm's own policy), and initdb then misses libicuuc.so.60.
 */
export function linkLibraries(root: string): void {
  for (const { source, target } of readLinks(join(root, 'native', 'pg-symlinks.json'))) {
    const path = join(root, target);
    if (exists(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      // Another process may have made it since.
      if (exists(path)) continue;
      throw new HoldfastError(
        'embedded_unsupported',
        `the library link ${path} is missing and could not be made (${(error as NodeJS.ErrnoException).code})`,
        {
          cause: error,
          hint: 'Run `npm rebuild` as the user who owns node_modules, or set DATABASE_URL to a PostgreSQL server.',
        },
      );
    }
  }
}

function readLinks(path: string): Link[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Link[];
  } catch {
    return []; // Packages for Windows have no links.
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
