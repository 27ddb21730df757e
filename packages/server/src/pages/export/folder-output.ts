import { access, constants, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { LruMap } from '../../base/collections/lru-map.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { assertCanMakeFolder, makeFolder } from '../../base/process/make-folder.ts';
import type { StoredPage } from '../stored/page.ts';
import { readPages, urlOfPage } from '../stored/read-pages.ts';
import { ExportedTargets } from './exported-targets.ts';
import {
  contentsLine,
  contentsTitle,
  linksInMarkdown,
  markdownFile,
  relinkMarkdown,
  urlInMarkdown,
} from './markdown-file.ts';
import { type OutputCursor, OutputCursorFile } from './output-cursor.ts';
import { attemptOn, outputExists, outputUnusable } from './output-unusable.ts';
import type { OutputJob, PageOutput } from './page-output.ts';
import { pagePaths } from './page-path.ts';

export interface FolderOutputOptions {
  readonly path: string;
  /** Pages of other hosts go into a folder named after their host. */
  readonly seedHost: string;
  /** Allows a folder that holds other files; they are left alone. */
  readonly overwrite: boolean;
  readonly resumesJob?: string;
}

const cursorName = '.holdfast.json';
const temporaryName = '.holdfast.tmp';
/** The list of all pages; no page gets this name. */
const contentsName = '_contents.md';
const rememberedNames = 100_000;
const saveEveryMs = 1_000;
/** Bytes that hold the first line of the front matter: a URL of 2048 characters, escaped. */
const beginningLength = 16_384;

/**
 * A folder with a markdown file for each page. A file appears whole or not at all; writing it again changes nothing. Once all are
 * there, links between them become relative, and a list of all pages is written.
 */
export class FolderOutput implements PageOutput {
  readonly wants = { screenshots: true };
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

  /** Checks that the folder can be used; changes nothing. */
  static async at(options: FolderOutputOptions): Promise<FolderOutput> {
    const output = new FolderOutput(options);
    await attemptOn(output.name, () => output.#check());
    return output;
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
    const name = await attemptOn(this.name, () => this.#nameOf(page.url));
    const content = markdownFile(page, besideOf(page, name));
    await attemptOn(this.name, async () => {
      if (page.screenshot) await this.#write(pictureOf(name), page.screenshot);
      await this.#write(name, content);
    });
    this.#pageNo = page.page_no;
    this.#url = page.url;
    this.#added.pages++;
    this.#added.bytes += Buffer.byteLength(content);
  }

  async save(): Promise<void> {
    if (this.#begun && performance.now() - this.#savedAt >= saveEveryMs) await this.#saveCursor(true);
  }

  /** A second pass over the pages: the target of a link is known only when all of them have their files. */
  async settle(db: Queryable): Promise<void> {
    if (this.#pageNo === 0) return;
    if (!this.#begun) await this.#begin();
    const targets = new ExportedTargets(db, this.#jobId, this.#pageNo);
    const names = new LruMap<string>(rememberedNames);
    const nameOf = async (url: string) => {
      const name = names.get(url) ?? (await this.#nameOf(url));
      names.set(url, name);
      return name;
    };
    const { path, seedHost } = this.#options;
    const contents = await attemptOn(this.name, () => open(join(path, `${temporaryName}.contents`), 'w'));
    try {
      await attemptOn(this.name, () => contents.appendFile(contentsTitle(seedHost)));
      for await (const page of readPages(db, this.#jobId)) {
        if (page.page_no > this.#pageNo) break;
        await attemptOn(this.name, async () => {
          const name = await nameOf(page.url);
          await contents.appendFile(contentsLine(page, linkTo(name)));
          const found = await targets.of(linksInMarkdown(page.markdown ?? ''));
          if (found.size === 0) return;
          const links = new Map<string, string>();
          for (const [link, url] of found)
            links.set(link, linkTo(posix.relative(posix.dirname(name), await nameOf(url))));
          const markdown = relinkMarkdown(page.markdown ?? '', (link) => links.get(link));
          await this.#write(name, markdownFile({ ...page, markdown }, besideOf(page, name)));
        });
        await this.save();
      }
    } finally {
      await contents.close();
    }
    await attemptOn(this.name, () =>
      rename(join(path, `${temporaryName}.contents`), join(path, contentsName)),
    );
  }

  async close(complete: boolean): Promise<void> {
    if (this.#begun) await this.#saveCursor(false, complete);
  }

  async #check(): Promise<void> {
    const { path, overwrite, resumesJob } = this.#options;
    await this.#cursor.assertFree(this.name);
    const found = await stat(path).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return await assertCanMakeFolder(dirname(path.replace(/[/\\]+$/, '')));
    if (!found.isDirectory()) throw outputUnusable(path, 'it is a file, not a folder');
    await access(path, constants.W_OK);
    if (overwrite || (await readdir(path)).length === 0) return;
    const cursor = await this.#cursor.read();
    const mayResume = cursor?.job === resumesJob && !cursor?.complete;
    if (cursor && resumesJob !== undefined && !mayResume) throw outputExists(path);
    if (cursor) return;
    throw outputUnusable(path, 'the folder holds other files', {
      hint: 'Name another folder with --out, or use this one with --overwrite; other files in it are left alone.',
    });
  }

  async #begin(): Promise<void> {
    const { path } = this.#options;
    this.#begun = true;
    await attemptOn(this.name, async () => makeFolder(path));
    // Otherwise pages of an earlier crawl that this one does not find would stay forever.
    if (this.#before && this.#before.job !== this.#jobId) {
      await attemptOn(this.name, async () => {
        await this.#removePages();
        await rm(join(path, contentsName), { force: true });
      });
    }
    await this.#saveCursor(true);
  }

  /** The first of the page's possible names that no other page's file has. */
  async #nameOf(url: string): Promise<string> {
    const names = pagePaths(url, this.#options.seedHost).filter((name) => name !== contentsName);
    for (const name of names) {
      const holder = await urlOfFile(join(this.#options.path, name));
      if (holder === undefined || holder === url) return name;
    }
    return names.at(-1) as string;
  }

  async #write(name: string, content: string | Buffer): Promise<void> {
    const { path } = this.#options;
    const target = join(path, name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(join(path, temporaryName), content);
    await rename(join(path, temporaryName), target);
  }

  /** Removes the files of an earlier crawl: those that are where the URL in them belongs. */
  async #removePages(): Promise<void> {
    const { path, seedHost } = this.#options;
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.md')) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const url = await urlOfFile(file);
      if (!url || !pagePaths(url, seedHost).some((name) => join(path, name) === file)) continue;
      await rm(file);
      await rm(pictureOf(file), { force: true });
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
    await attemptOn(this.name, () => this.#cursor.write(this.name, cursor, writing));
    this.#savedAt = performance.now();
  }
}

/** The screenshot of a page stands beside its markdown file. */
function pictureOf(name: string): string {
  return `${name.slice(0, -'.md'.length)}.png`;
}

function besideOf({ has_screenshot }: StoredPage, name: string): string | null {
  return has_screenshot ? posix.basename(pictureOf(name)) : null;
}

/** File names may have letters of every script; links percent-encode them. */
function linkTo(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

/** Undefined: there is no such file. Empty: not one of ours. */
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
