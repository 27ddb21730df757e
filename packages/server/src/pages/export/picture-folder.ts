import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/process/make-folder.ts';
import type { StoredPage } from '../stored/page.ts';
import { screenshotName } from './page-output.ts';

const ours = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.png$/;
const temporaryName = '.holdfast.tmp';

/** The screenshots of an export that is one file: a folder beside it, with a picture for each page that has one. */
export class PictureFolder {
  readonly path: string;
  #isMade = false;

  constructor(file: string) {
    this.path = `${file}.screenshots`;
  }

  /** Whole or not at all; again, it changes nothing. */
  async add(page: StoredPage): Promise<void> {
    const name = screenshotName(page);
    if (name === null || page.screenshot === null) return;
    if (!this.#isMade) makeFolder(this.path);
    this.#isMade = true;
    await writeFile(join(this.path, temporaryName), page.screenshot);
    await rename(join(this.path, temporaryName), join(this.path, name));
  }

  /** Removes the pictures of an earlier export; other files are left alone. */
  async clear(): Promise<void> {
    const names = await readdir(this.path).catch(() => []);
    for (const name of names) if (ours.test(name)) await rm(join(this.path, name));
  }
}
