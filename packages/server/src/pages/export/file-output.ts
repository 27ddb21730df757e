import { constants } from 'node:fs';
import { access, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Queryable } from '../../base/database/statement.ts';
import { assertCanMakeFolder, makeFolder } from '../../base/process/make-folder.ts';
import type { StoredPage } from '../stored/page.ts';
import { urlOfPage } from '../stored/read-pages.ts';
import { OutputCursorFile } from './output-cursor.ts';
import { attemptOn, outputExists, outputUnusable } from './output-unusable.ts';
import type { OutputFormat, OutputJob, PageFormat, PageOutput, WantedContent } from './page-output.ts';
import { PictureFolder } from './picture-folder.ts';

export interface FileOutputOptions {
  readonly path: string;
  readonly format: OutputFormat;
  readonly pages: PageFormat;
  /** Allows replacing a file that Holdfast did not write. */
  readonly overwrite: boolean;
  readonly resumesJob?: string;
}

const flushLength = 1_000_000;
const saveEveryMs = 1_000;
/** Bytes that identify every format; a URL may have 2048 characters. */
const beginningLength = 4096;

/**
 * Pages in one file, which can be resumed after any death of the process: data is on disk before the cursor says so, and whatever
 * lies behind the cursor is cut off.
 */
export class FileOutput implements PageOutput {
  readonly #options: FileOutputOptions;
  readonly #cursor: OutputCursorFile;
  readonly #pictures: PictureFolder;
  #jobId = '';
  #handle: FileHandle | undefined;
  #pageNo = 0;
  #url: string | null = null;
  #bytes = 0;
  #buffer: (string | Buffer)[] = [];
  #buffered = 0;
  #savedAt = 0;
  readonly #added = { pages: 0, bytes: 0 };

  private constructor(options: FileOutputOptions) {
    this.#options = options;
    this.#cursor = new OutputCursorFile(`${options.path}.cursor`);
    this.#pictures = new PictureFolder(options.path);
  }

  /** Checks that the file can be written; changes nothing. */
  static async at(options: FileOutputOptions): Promise<FileOutput> {
    const output = new FileOutput(options);
    const { path } = options;
    await output.#cursor.assertFree(path);
    await attemptOn(output.name, async () => {
      await assertCanMakeFolder(dirname(path));
      const size = await sizeOf(path);
      if (size === undefined) return;
      await access(path, constants.W_OK);
      await output.#assertReplaceable(size);
    });
    return output;
  }

  /** Resumes at the cursor, if it is this job's; a file to be replaced is left alone until the first page. */
  async open({ db, jobId, anew }: OutputJob): Promise<void> {
    this.#jobId = jobId;
    const size = await sizeOf(this.#options.path);
    if (size !== undefined && !anew) await attemptOn(this.name, () => this.#resume(db, size));
  }

  get name(): string {
    return this.#options.path;
  }

  get pageNo(): number {
    return this.#pageNo;
  }

  get added(): { pages: number; bytes: number } {
    return this.#added;
  }

  get wants(): WantedContent {
    const { format, pages } = this.#options;
    // A WARC file has the pictures in it.
    return format === 'warc' ? pages.wants : { ...pages.wants, screenshots: true };
  }

  async add(page: StoredPage): Promise<void> {
    if (!this.#handle) await this.#begin();
    const { format, pages } = this.#options;
    if (format !== 'warc') await attemptOn(this.#pictures.path, () => this.#pictures.add(page));
    const record = await pages.record(page, this.#jobId);
    this.#buffer.push(record);
    this.#buffered += record.length;
    this.#pageNo = page.page_no;
    this.#url = page.url;
    this.#added.pages++;
    if (this.#buffered >= flushLength) await this.#flush();
  }

  async save(): Promise<void> {
    await this.#flush();
    if (this.#handle && performance.now() - this.#savedAt >= saveEveryMs) await this.#saveCursor(true);
  }

  async close(complete: boolean): Promise<void> {
    await this.#flush();
    if (!this.#handle) return;
    await this.#saveCursor(false);
    await attemptOn(this.name, async () => {
      await this.#handle?.close();
      this.#handle = undefined;
      if (complete) await this.#cursor.remove();
    });
  }

  /** Continues after what an earlier process wrote, if it wrote pages of this job. */
  async #resume(db: Queryable, size: number): Promise<void> {
    const { path, format } = this.#options;
    const jobId = this.#jobId;
    const cursor = await this.#cursor.read();
    if (!cursor || cursor.job !== jobId || cursor.format !== format || cursor.bytes > size) return;
    if (cursor.page_no > 0 && (await urlOfPage(db, jobId, cursor.page_no)) !== cursor.url) return;
    if (this.#options.pages.isOutdated?.(await beginningOf(path))) return;
    await truncate(path, cursor.bytes);
    this.#pageNo = cursor.page_no;
    this.#url = cursor.url;
    this.#bytes = cursor.bytes;
    this.#handle = await open(path, 'a');
    await this.#saveCursor(true);
  }

  async #assertReplaceable(size: number): Promise<void> {
    const { path, pages, overwrite, resumesJob } = this.#options;
    if (overwrite || size === 0) return;
    const cursor = await this.#cursor.read();
    if (resumesJob !== undefined && cursor?.job !== resumesJob) throw outputExists(path);
    if (cursor) return;
    if (pages.isOurs(await beginningOf(path))) return;
    throw outputUnusable(path, 'it exists, and was not written by Holdfast in this format', {
      hint: 'Name another file with --out, or replace it with --overwrite.',
    });
  }

  async #begin(): Promise<void> {
    const { path, pages } = this.#options;
    await this.#cursor.assertFree(path);
    this.#handle = await attemptOn(this.name, async () => {
      makeFolder(dirname(path));
      await this.#pictures.clear();
      return await open(path, 'w');
    });
    this.#buffer.push(pages.header(this.#jobId));
    await this.#saveCursor(true);
  }

  async #flush(): Promise<void> {
    if (this.#buffer.length === 0) return;
    // Whole records in one call, so that a reader following the file rarely sees half of one.
    const data = Buffer.concat(this.#buffer.map((record) => Buffer.from(record as string)));
    this.#buffer = [];
    this.#buffered = 0;
    await attemptOn(this.name, async () => this.#handle?.appendFile(data));
    this.#bytes += data.length;
    this.#added.bytes += data.length;
  }

  async #saveCursor(writing: boolean): Promise<void> {
    const { format, path } = this.#options;
    await this.#flush();
    const cursor = {
      job: this.#jobId,
      format,
      page_no: this.#pageNo,
      url: this.#url,
      bytes: this.#bytes,
      complete: false,
    };
    await attemptOn(this.name, async () => {
      await this.#handle?.datasync();
      await this.#cursor.write(path, cursor, writing);
    });
    this.#savedAt = performance.now();
  }
}

async function beginningOf(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginningLength), 0, beginningLength, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}
