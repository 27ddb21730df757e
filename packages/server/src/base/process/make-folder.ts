import { constants, mkdirSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns below a folder in which nothing
 * can be made, such as /proc: it is told that the parent is missing, makes sure of the parent, and tries again.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

/** Throws if the folder neither is there nor can be made, by the nearest one that is there. Nothing is changed by that. */
export async function assertCanMakeFolder(path: string): Promise<void> {
  try {
    await access(`${path}/.`, constants.W_OK);
  } catch (error) {
    const parent = dirname(path);
    if ((error as { code?: string }).code !== 'ENOENT' || parent === path) throw error;
    await assertCanMakeFolder(parent);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
