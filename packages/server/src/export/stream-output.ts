import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { StoredPage } from '../pages/stored-page.ts';
import type { LineFormat } from './line-format.ts';
import { outputUnusable } from './output-unusable.ts';
import type { PageOutput } from './page-output.ts';

/** Pages into a pipe or a terminal. It keeps nothing, so every process begins with the first page. */
export class StreamOutput implements PageOutput {
  readonly name: string;
  readonly wantsHtml: boolean;
  readonly added = { pages: 0, bytes: 0 };
  readonly #stream: Writable;
  readonly #lines: LineFormat;
  #pageNo = 0;
  #failure: Error | undefined;

  constructor(name: string, stream: Writable, lines: LineFormat) {
    this.name = name;
    this.wantsHtml = lines.wantsHtml;
    this.#stream = stream;
    this.#lines = lines;
    stream.on('error', (error) => {
      this.#failure = error;
    });
  }

  get pageNo(): number {
    return this.#pageNo;
  }

  async open(): Promise<void> {}

  async add(page: StoredPage): Promise<void> {
    if (this.#failure) throw this.#closed();
    const record = (this.added.pages === 0 ? this.#lines.header : '') + this.#lines.record(page);
    this.added.bytes += Buffer.byteLength(record);
    this.added.pages++;
    this.#pageNo = page.page_no;
    // The reader sets the pace: nothing piles up here.
    if (!this.#stream.write(record)) await once(this.#stream, 'drain').catch(() => undefined);
  }

  async save(): Promise<void> {
    if (this.#failure) throw this.#closed();
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()));
  }

  #closed(): Error {
    const { code } = this.#failure as Error & { code?: string };
    if (code !== 'EPIPE') return outputUnusable(this.name, this.#failure as Error);
    const hint = 'Every page that was fetched is stored; the same command writes them again.';
    return outputUnusable(this.name, 'its reader is gone', { hint });
  }
}
