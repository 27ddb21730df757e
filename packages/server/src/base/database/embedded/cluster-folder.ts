import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import { makeFolder } from '../../process/make-folder.ts';

/**
 * The files of one embedded server, all in `<data folder>/cluster`, so that a single rename puts them in place and the password
 * always matches the data.
 */
export interface ClusterFolder {
  readonly path: string;
  /** PostgreSQL's own data folder. */
  readonly data: string;
  readonly password: string;
  /** The port of the last start, which the next one tries first. */
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

/** Creates the data folder if it is missing. Returns its real path: PostgreSQL compares paths without links. */
export function openDataFolder(name: string): string {
  const path = resolve(name);
  try {
    makeFolder(path);
    // Keeps password and data out of a repository that Holdfast is run in.
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
  ENOENT: 'does not exist and cannot be created there',
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

/** Makes the entries of a folder durable. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // Folders cannot be opened there.
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
