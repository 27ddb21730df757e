import { Worker } from 'node:worker_threads';
import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import type { DocumentText } from '../../web/documents/document-text.ts';

export interface DocumentReadingOptions {
  /** The bundled thread. */
  readonly program: string;
  /** Documents that take longer fail. The parser stops earlier and keeps the pages parsed so far. */
  readonly deadlineMs?: number | undefined;
  readonly memoryMb?: number | undefined;
  /** An idle thread ends after this time. */
  readonly idleMs?: number | undefined;
}

/** What the thread starts with. */
export interface DocumentThreadData {
  readonly readingMs: number;
  readonly maxBytes: number;
}

export type DocumentAnswer = DocumentText | { readonly code: ErrorCode; readonly detail: string | undefined };

interface Waiting {
  readonly body: Buffer;
  readonly resolve: (text: DocumentText) => void;
  readonly reject: (error: HoldfastError) => void;
}

/**
 * Parses documents one after another in a separate thread, started with the first. A document that hangs or takes too
 * much memory ends the thread; only that document fails.
 */
export class DocumentReading {
  readonly #options: DocumentReadingOptions & { deadlineMs: number; memoryMb: number; idleMs: number };
  readonly #queue: Waiting[] = [];
  #thread: Worker | undefined;
  #current: Waiting | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ program, deadlineMs = 60_000, memoryMb = 256, idleMs = 30_000 }: DocumentReadingOptions) {
    this.#options = { program, deadlineMs, memoryMb, idleMs };
  }

  /** Rejects with a HoldfastError that describes the problem. */
  read(body: Buffer): Promise<DocumentText> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ body, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#deadline);
    await this.#end();
  }

  #next(): void {
    if (this.#current || this.#closed) return;
    clearTimeout(this.#idle);
    const next = this.#queue.shift();
    if (!next) {
      this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs).unref();
      return;
    }
    this.#current = next;
    const { deadlineMs } = this.#options;
    this.#thread ??= this.#start();
    this.#deadline = setTimeout(() => {
      void this.#end();
      this.#settle({ code: 'page_unreadable', detail: `more than ${deadlineMs / 1000} s` });
    }, deadlineMs);
    // A copy, because it is transferred.
    const bytes = new Uint8Array(next.body);
    this.#thread.postMessage(bytes, [bytes.buffer]);
  }

  #start(): Worker {
    const { program, memoryMb, deadlineMs } = this.#options;
    const data: DocumentThreadData = { readingMs: 0.4 * deadlineMs, maxBytes: memoryMb * 1024 * 1024 };
    const thread = new Worker(program, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
      // Discards the output of pdf.js.
      stdout: true,
      stderr: true,
    });
    let reason = 'the reading thread ended';
    thread.on('message', (answer: DocumentAnswer) => this.#settle(answer));
    thread.on('error', (error) => {
      reason = error.message;
    });
    thread.once('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#settle({ code: 'page_unreadable', detail: reason });
    });
    thread.unref();
    return thread;
  }

  #settle(answer: DocumentAnswer): void {
    clearTimeout(this.#deadline);
    const done = this.#current;
    this.#current = undefined;
    if (done && 'code' in answer) done.reject(new HoldfastError(answer.code, answer.detail));
    else if (done && !('code' in answer)) done.resolve(answer);
    this.#next();
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
