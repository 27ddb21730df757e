import { access, constants, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import type { StoredPage } from '../pages/stored-page.ts';
import { urlOfPage } from '../pages/url-of-page.ts';
import { markdownFile, urlInMarkdown } from './markdown-file.ts';
import { type OutputCursor, OutputCursorFile } from './output-cursor.ts';
import { outputExists, outputUnusable } from './output-unusable.ts';
import type { OutputJob, PageOutput } from './page-output.ts';
import { pagePaths } from './page-path.ts';

export interface FolderOutputOptions {
  readonly path: string;
  /** Pages of other hosts lie in a folder of their host's name. */
  readonly seedHost: string;
  /** Uses a folder that has other things in it; they are left alone. */
  readonly overwrite: boolean;
  readonly goesOnWith?: string;
}

const cursorName = '.holdfast.json';
const temporaryName = '.holdfast.tmp';
const saveEveryMs = 1_000;
/** The front matter's first line: a URL of 2048 characters, escaped. */
const beginningLength = 16_384;

/** A folder with a markdown file for each page. A file appears whole or not at all; writing one again changes nothing. */
export class FolderOutput implements PageOutput {
  readonly wantsHtml = false;
  readonly #options: FolderOutputOptions;
  readonly #cursor: OutputCursorFile;
  #jobId = '';
  #before: OutputCursor | undefined;
  #pageNo = 0;
  #url: string | null = null;
  #begun = false;
  #savedAt = 0;
  readonly #added = { pages: 0, bytes: 0 };

  private constructor(options: FolderOutputOptions) {
    this.#options = options;
    this.#cursor = new OutputCursorFile(join(options.path, cursorName));
  }

  /** Checks that the folder can be used. Nothing is changed by that. */
  static async at(options: FolderOutputOptions): Promise<FolderOutput> {
    const output = new FolderOutput(options);
    try {
      await output.#check();
      return output;
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? outputUnusable(options.path, error) : error;
    }
  }

  async open({ db, jobId, anew }: OutputJob): Promise<void> {
    this.#jobId = jobId;
    this.#before = await this.#cursor.read();
    const { job, page_no = 0, url = null } = this.#before ?? {};
    if (job !== jobId || anew || page_no === 0 || (await urlOfPage(db, jobId, page_no)) !== url) return;
    this.#pageNo = page_no;
    this.#url = url;
  }

  get name(): string {
    return `${this.#options.path.replace(/[/\\]+$/, '')}${sep}`;
  }

  get pageNo(): number {
    return this.#pageNo;
  }

  get added(): { pages: number; bytes: number } {
    return this.#added;
  }

  async add(page: StoredPage): Promise<void> {
    if (!this.#begun) await this.#begin();
    const { path } = this.#options;
    const content = markdownFile(page);
    try {
      const target = await this.#place(page.url);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(join(path, temporaryName), content);
      await rename(join(path, temporaryName), target);
    } catch (error) {
      throw outputUnusable(this.name, error as Error);
    }
    this.#pageNo = page.page_no;
    this.#url = page.url;
    this.#added.pages++;
    this.#added.bytes += Buffer.byteLength(content);
  }

  async save(): Promise<void> {
    if (this.#begun && performance.now() - this.#savedAt >= saveEveryMs) await this.#saveCursor(true);
  }

  async close(complete: boolean): Promise<void> {
    if (this.#begun) await this.#saveCursor(false, complete);
  }

  async #check(): Promise<void> {
    const { path, overwrite, goesOnWith } = this.#options;
    await this.#cursor.assertFree(this.name);
    const found = await stat(path).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return await access(dirname(path.replace(/[/\\]+$/, '')), constants.W_OK);
    if (!found.isDirectory()) throw outputUnusable(path, 'it is a file, not a folder');
    await access(path, constants.W_OK);
    if (overwrite || (await readdir(path)).length === 0) return;
    const cursor = await this.#cursor.read();
    if (cursor && goesOnWith !== undefined && cursor.job !== goesOnWith) throw outputExists(path);
    if (cursor) return;
    throw outputUnusable(path, 'the folder has other things in it', {
      hint: 'Name another folder with --out, or use it all the same with --overwrite; nothing else in it is changed.',
    });
  }

  async #begin(): Promise<void> {
    const { path } = this.#options;
    this.#begun = true;
    this.#make(path);
    // Pages of an earlier crawl that this one does not find would stay for ever.
    if (this.#before && this.#before.job !== this.#jobId) await this.#removePages();
    await this.#saveCursor(true);
  }

  #make(path: string): void {
    try {
      makeFolder(path);
    } catch (error) {
      throw outputUnusable(this.name, error as Error);
    }
  }

  /** The first of the page's names that no other page's file has. */
  async #place(url: string): Promise<string> {
    const names = pagePaths(url, this.#options.seedHost).map((name) => join(this.#options.path, name));
    for (const name of names) {
      const holder = await urlOfFile(name);
      if (holder === undefined || holder === url) return name;
    }
    return names.at(-1) as string;
  }

  /** Removes the files that an earlier crawl made: those that stand where the URL in them belongs. */
  async #removePages(): Promise<void> {
    const { path, seedHost } = this.#options;
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.md')) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const url = await urlOfFile(file);
      if (url && pagePaths(url, seedHost).some((name) => join(path, name) === file)) await rm(file);
    }
  }

  async #saveCursor(writing: boolean, complete = false): Promise<void> {
    const cursor = {
      job: this.#jobId,
      format: 'md',
      page_no: this.#pageNo,
      url: this.#url,
      bytes: 0,
      complete,
    } as const;
    await this.#cursor.write(this.name, cursor, writing);
    this.#savedAt = performance.now();
  }
}

/** Undefined: there is no such file. Empty: it is none of ours. */
async function urlOfFile(path: string): Promise<string | undefined> {
  const handle = await open(path).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginningLength), 0, beginningLength, 0);
    return urlInMarkdown(buffer.toString('utf8', 0, bytesRead)) ?? '';
  } finally {
    await handle.close();
  }
}
