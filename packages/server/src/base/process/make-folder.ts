import { constants, mkdirSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. Node's own `recursive` loops forever below a folder in which nothing can be
 * created, such as /proc: each time it hears that the parent is missing, it finds the parent and tries again.
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

/** Throws if the folder neither exists nor can be created in its nearest existing parent. Changes nothing. */
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
