import { HoldfastError } from '@holdfast/contract';
import { type ContentCoding, createInflateStream, type InflateStream } from './content-coding.ts';
import type { FetchRequest } from './fetcher.ts';

export interface InflaterOwner {
  /** How many bytes may have come out by now. */
  allowed(): number;
  /** Of what comes out at the end of the chain. */
  readonly enoughBytes: number;
  /** Gets what comes out, instead of it being gathered. */
  readonly take: FetchRequest['take'];
  pause(): void;
  resume(): void;
  whole(chunks: Buffer[]): void;
  enough(chunks: Buffer[]): void;
  failed(error: unknown): void;
}

/**
 * A chain of zlib streams under one count: each link's output is measured, not only the last one's, because a bomb may
 * explode in the middle and come out small. What is in memory is what was let through and one chunk a link.
 */
export class StreamInflater {
  readonly #owner: InflaterOwner;
  readonly #links: readonly InflateStream[];
  readonly #first: InflateStream;
  #chunks: Buffer[] = [];

  /** `start`: see createInflateStream; later links of the chain can't know theirs and take zlib's format for it. */
  constructor(codings: readonly ContentCoding[], start: Buffer, owner: InflaterOwner) {
    this.#owner = owner;
    const zlibStart = Buffer.from([0x78, 0x9c]);
    this.#links = codings.map((coding, at) => createInflateStream(coding, at === 0 ? start : zlibStart));
    const [first] = this.#links;
    if (!first) throw new Error('a chain of no codings');
    this.#first = first;
    for (const [at, link] of this.#links.entries()) this.#connect(link, this.#links[at + 1]);
    first.on('drain', () => owner.resume());
  }

  write(chunk: Buffer): void {
    if (!this.#first.write(chunk)) this.#owner.pause();
  }

  end(): void {
    this.#first.end();
  }

  destroy(): void {
    this.#chunks = [];
    for (const link of this.#links) link.destroy();
  }

  #connect(link: InflateStream, next: InflateStream | undefined): void {
    let bytes = 0;
    link.on('error', (error) => this.#fail(error));
    link.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (!next && bytes > this.#owner.enoughBytes) this.#suffice(chunk);
      else if (bytes > this.#owner.allowed()) this.#fail(new HoldfastError('body_too_large', 'inflated'));
      else if (!next) this.#handOn(link, chunk);
    });
    if (next) link.pipe(next);
    else link.on('end', () => this.#owner.whole(this.#chunks));
  }

  #handOn(link: InflateStream, chunk: Buffer): void {
    const { take } = this.#owner;
    if (!take) {
      this.#chunks.push(chunk);
      return;
    }
    const taken = take(chunk);
    if (!taken) return;
    link.pause();
    void taken.then(() => link.resume());
  }

  #suffice(last: Buffer): void {
    const chunks = this.#owner.take ? [] : [...this.#chunks, last];
    this.destroy();
    this.#owner.enough(chunks);
  }

  #fail(error: unknown): void {
    this.destroy();
    this.#owner.failed(error);
  }
}
