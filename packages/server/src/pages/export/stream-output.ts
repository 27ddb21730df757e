import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { StoredPage } from '../stored/page.ts';
import { outputUnusable } from './output-unusable.ts';
import type { OutputJob, PageFormat, PageOutput, WantedContent } from './page-output.ts';

/** Pages to a pipe or a terminal. Keeps no state, so every process begins with the first page. */
export class StreamOutput implements PageOutput {
  readonly name: string;
  readonly wants: WantedContent;
  readonly added = { pages: 0, bytes: 0 };
  readonly #stream: Writable;
  readonly #pages: PageFormat;
  #jobId = '';
  #pageNo = 0;
  #failure: Error | undefined;

  constructor(name: string, stream: Writable, pages: PageFormat) {
    this.name = name;
    this.wants = pages.wants;
    this.#stream = stream;
    this.#pages = pages;
    stream.on('error', (error) => {
      this.#failure = error;
    });
  }

  get pageNo(): number {
    return this.#pageNo;
  }

  async open({ jobId }: OutputJob): Promise<void> {
    this.#jobId = jobId;
  }

  async add(page: StoredPage): Promise<void> {
    if (this.added.pages === 0) await this.#write(this.#pages.header(this.#jobId));
    await this.#write(await this.#pages.record(page, this.#jobId));
    this.added.pages++;
    this.#pageNo = page.page_no;
  }

  async save(): Promise<void> {
    if (this.#failure) throw this.#closed();
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()));
  }

  /** Waits for the reader, so that nothing piles up here. */
  async #write(data: string | Buffer): Promise<void> {
    // It may have failed while the page was formatted; a destroyed stream never drains.
    if (this.#failure) throw this.#closed();
    this.added.bytes += Buffer.byteLength(data);
    if (!this.#stream.write(data)) await once(this.#stream, 'drain').catch(() => undefined);
  }

  #closed(): Error {
    const { code } = this.#failure as Error & { code?: string };
    if (code !== 'EPIPE') return outputUnusable(this.name, this.#failure as Error);
    const hint = 'Every fetched page is stored; run the same command again to write them.';
    return outputUnusable(this.name, 'its reader has closed it', { hint });
  }
}
