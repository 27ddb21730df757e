import { Worker } from 'node:worker_threads';
import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { PageContent } from '../../pages/stored/page.ts';
import { kindByContent } from '../../web/documents/document-kind.ts';
import { DocumentReading } from './document-reading.ts';
import { canonicalLinks, type ReadOptions, readBody } from './read-body.ts';
import { readDocument } from './read-document.ts';
import type { ReadBody } from './read-result.ts';
import type { ReadAnswer, ReadingData, ReadTask } from './serve-reading.ts';

export interface PageReadingOptions {
  readonly options: ReadOptions;
  readonly log: Logger;
  /** The bundled reading thread. */
  readonly program: string;
  /** The bundled thread for documents. */
  readonly documentProgram: string;
  /** A page that takes longer fails. */
  readonly deadlineMs?: number;
  readonly memoryMb?: number;
}

interface Waiting {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  readonly baselineHash: string | null | undefined;
  readonly isRendered: boolean;
  readonly resolve: (read: ReadBody) => void;
  readonly reject: (error: HoldfastError) => void;
}

/** Larger bodies are parsed only in the thread: in the main thread they would delay every request. */
const heavyBytes = 128 * 1024;
/** With a longer queue, a page is parsed sooner in the main thread. */
const longQueueBytes = 128 * 1024;
/** Number of pages parsed in the main thread first: starting a thread costs more CPU (ADR 32). */
const fewPages = 20;
/** Consecutive failed starts after which no more threads are started. */
const maxVainStarts = 3;

/**
 * Parses pages in a thread, which may hang or run out of memory without affecting requests in flight. A page that kills
 * the thread fails; the others go to the next thread. Small pages are parsed in the main thread while there are few, or
 * while the thread starts or is busy; and always if only links and metadata are needed, because passing them to the
 * thread would cost as much as parsing them (ADR 32).
 */
export class PageReading {
  readonly #options: Required<PageReadingOptions>;
  #thread: Worker | undefined;
  #isReady = false;
  #vainStarts = 0;
  readonly #isLight: boolean;
  #readHereCount = 0;
  /** Tasks sent to the thread, in the order of its responses. */
  #asked: Waiting[] = [];
  #askedBytes = 0;
  /** Tasks to send to the thread at the end of this turn of the event loop. */
  #outbox: Waiting[] = [];
  /** Tasks the thread has started, which it reports through shared memory, and those it has answered. */
  #begun = new Int32Array(new SharedArrayBuffer(4));
  #answered = 0;
  /** The last task seen to start, and when. */
  #seenBegun = 0;
  #seenAt = 0;
  #watch: NodeJS.Timeout | undefined;
  /** Created with the first document. */
  #documents: DocumentReading | undefined;
  #closed = false;

  constructor(options: PageReadingOptions) {
    this.#options = { deadlineMs: 30_000, memoryMb: 256, ...options };
    this.#isLight = !options.options.markdown && !options.options.store_html;
  }

  /** Rejects with a HoldfastError when the page cannot be read at all. */
  read(
    url: string,
    contentType: string | undefined,
    body: Buffer,
    baselineHash?: string | null,
    isRendered = false,
  ): Promise<ReadBody> {
    if (kindByContent(contentType, url, body) === 'pdf') return this.#readDocument(url, body);
    if (body.length <= heavyBytes && (this.#isLight || this.#isBusy)) {
      if (!this.#isLight && ++this.#readHereCount === fewPages) this.#startIfNone();
      return this.#readHere(url, contentType, body, baselineHash, isRendered);
    }
    this.#startIfNone();
    if (!this.#thread) return this.#readHere(url, contentType, body, baselineHash, isRendered);
    return new Promise((resolve, reject) => {
      if (this.#outbox.push({ url, contentType, body, baselineHash, isRendered, resolve, reject }) === 1)
        setImmediate(() => this.#flush());
      this.#askedBytes += body.length;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all([this.#thread?.terminate(), this.#documents?.close()]);
  }

  /** Never in the main thread: a document may take a minute. */
  async #readDocument(url: string, body: Buffer): Promise<ReadBody> {
    const { options, documentProgram, memoryMb, log } = this.#options;
    this.#documents ??= new DocumentReading({ program: documentProgram, memoryMb: Math.floor(memoryMb / 2) });
    try {
      const links = canonicalLinks(options);
      return readDocument(await this.#documents.read(body), options, (href) => links.of(href, url));
    } catch (error) {
      log.warn({ url, reason: (error as Error).message }, 'A document could not be read');
      throw error;
    }
  }

  get #isBusy(): boolean {
    return !this.#isReady || this.#askedBytes > longQueueBytes;
  }

  async #readHere(
    url: string,
    contentType: string | undefined,
    body: Buffer,
    baselineHash: string | null | undefined,
    isRendered: boolean,
  ): Promise<ReadBody> {
    try {
      return readBody(url, contentType, body, this.#options.options, baselineHash, isRendered);
    } catch (error) {
      throw this.#unreadable(url, (error as Error).message);
    }
  }

  #startIfNone(): void {
    if (!this.#thread && !this.#closed && this.#vainStarts < maxVainStarts) this.#start();
  }

  #start(): void {
    const { program, memoryMb } = this.#options;
    this.#begun = new Int32Array(new SharedArrayBuffer(4));
    this.#answered = 0;
    const data: ReadingData = {
      options: onlyRead(this.#options.options),
      begun: this.#begun,
    };
    const thread = new Worker(program, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    this.#thread = thread;
    this.#isReady = false;
    this.#vainStarts++;
    let reason = 'the reading thread ended';
    thread.on('message', (message: 'ready' | readonly ReadAnswer[]) => this.#receive(message));
    thread.on('error', (error) => {
      reason = error.message;
    });
    thread.once('exit', () => {
      if (this.#thread === thread) this.#died(reason);
    });
    thread.unref();
  }

  #flush(): void {
    const batch = this.#outbox;
    this.#outbox = [];
    if (batch.length === 0 || this.#closed) return;
    if (!this.#thread) {
      this.#readAllHere(batch);
      return;
    }
    if (this.#asked.length === 0) this.#seenBegun = -1;
    this.#asked.push(...batch);
    const tasks: ReadTask[] = batch.map(({ url, contentType, body, baselineHash, isRendered }) => ({
      isRendered,
      url,
      contentType,
      baselineHash,
      body: new Uint8Array(body),
    }));
    this.#thread.postMessage(
      tasks,
      tasks.map(({ body }) => body.buffer),
    );
    this.#watch ??= setInterval(() => this.#checkDeadline(), this.#options.deadlineMs / 10).unref();
  }

  #receive(message: 'ready' | readonly ReadAnswer[]): void {
    this.#isReady = true;
    this.#vainStarts = 0;
    if (message === 'ready') return;
    this.#answered += message.length;
    for (const answer of message) {
      const waiting = this.#asked.shift();
      if (!waiting) return;
      this.#askedBytes -= waiting.body.length;
      if ('failure' in answer) waiting.reject(this.#unreadable(waiting.url, answer.failure));
      else waiting.resolve(withBuffers(answer));
    }
    if (this.#asked.length > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #checkDeadline(): void {
    const { deadlineMs } = this.#options;
    const begun = Atomics.load(this.#begun, 0);
    if (begun !== this.#seenBegun) {
      this.#seenBegun = begun;
      this.#seenAt = performance.now();
    }
    if (begun === this.#answered || performance.now() - this.#seenAt < deadlineMs) return;
    const hanging = this.#thread;
    this.#thread = undefined;
    void hanging?.terminate();
    this.#died(`more than ${deadlineMs / 1000} s`);
  }

  /** The thread died of the task it started last; earlier ones may be parsed but not answered. */
  #died(reason: string): void {
    if (this.#closed) return;
    const at = Atomics.load(this.#begun, 0) - this.#answered - 1;
    const [culprit] = at < 0 ? [] : this.#asked.splice(at, 1);
    if (culprit) {
      this.#askedBytes -= culprit.body.length;
      culprit.reject(this.#unreadable(culprit.url, reason));
    }
    this.#outbox.unshift(...this.#asked);
    this.#asked = [];
    this.#thread = undefined;
    if (this.#vainStarts < maxVainStarts) this.#start();
    else
      this.#options.log.error(
        { reason },
        'No parser thread could be started; pages are parsed in the main thread',
      );
    this.#flush();
  }

  #readAllHere(batch: readonly Waiting[]): void {
    for (const { url, contentType, body, baselineHash, isRendered, resolve, reject } of batch) {
      this.#askedBytes -= body.length;
      this.#readHere(url, contentType, body, baselineHash, isRendered).then(resolve, reject);
    }
  }

  #unreadable(url: string, reason: string): HoldfastError {
    this.#options.log.error({ url, reason }, 'A page could not be read');
    return new HoldfastError('page_unreadable', reason);
  }
}

/** The options of a crawl hold more than a thread can be given. */
function onlyRead(options: ReadOptions): ReadOptions {
  const { markdown, content, store_html, clean_html, image_links, include_selectors, exclude_selectors } =
    options;
  const { sort_query, ignore_query, keep_tracking, keep_sessions, url_rules, sign_in } = options;
  return {
    ...{ markdown, content, store_html, clean_html, image_links, include_selectors, exclude_selectors },
    ...{ sort_query, ignore_query, keep_tracking, keep_sessions, url_rules, sign_in },
  };
}

/** Buffers arrive from another thread as plain byte arrays. */
function withBuffers({ page, ...read }: ReadBody): ReadBody {
  const { content } = page;
  const buffers: PageContent = {
    links: bufferOf(content.links),
    markdown: bufferOf(content.markdown),
    html: bufferOf(content.html),
  };
  return { page: { ...page, content: buffers }, ...read };
}

function bufferOf(bytes: Uint8Array | null): Buffer | null {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
