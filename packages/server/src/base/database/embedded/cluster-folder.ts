import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import { makeFolder } from '../../process/make-folder.ts';

/**
 * Everything of one embedded server in one folder, `<data folder>/cluster`, so that one rename makes it whole and the
 * password is always the one the data was made with.
 */
export interface ClusterFolder {
  readonly path: string;
  /** PostgreSQL's own data folder. */
  readonly data: string;
  readonly password: string;
  /** The port of the last start, tried first by the next one. */
  readonly port: string;
  readonly log: string;
}

export function clusterFolder(path: string): ClusterFolder {
  return {
    path,
    data: join(path, 'data'),
    password: join(path, 'password'),
    port: join(path, 'port'),
    log: join(path, 'server.log'),
  };
}

/** Makes the data folder when it is missing. Returns its real path: PostgreSQL compares paths without links. */
export function openDataFolder(name: string): string {
  const path = resolve(name);
  try {
    makeFolder(path);
    // Keeps the password and the data out of the repository of whoever runs Holdfast in a checkout.
    if (readText(join(path, '.gitignore')) === undefined) writeFileSync(join(path, '.gitignore'), '*\n');
    return realpathSync(path);
  } catch (error) {
    throw dataFolderBad(path, error);
  }
}

const reasons: Record<string, string> = {
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'is, or lies in, a file and not a folder',
  EACCES: 'is not readable or writable for this user',
  EPERM: 'is not readable or writable for this user',
  // What mkdir with `recursive` makes of a read-only file system.
  ENOENT: 'does not exist and cannot be made there',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is over the disk quota',
};

export function dataFolderBad(path: string, error: unknown): HoldfastError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new HoldfastError('data_folder_bad', `${path} ${reasons[code] ?? `failed: ${message}`}`, {
    cause: error,
  });
}

/** The content of a small file without surrounding space; undefined when it does not exist. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Makes the names in a folder survive a power cut. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // Folders cannot be opened there.
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
