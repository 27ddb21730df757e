import { HoldfastError } from '@holdfast/contract';
import { type ContentCoding, codingError, inflateAtOnce } from './content-coding.ts';
import type { FetchLimits, FetchRequest } from './fetcher.ts';
import { StreamInflater } from './stream-inflater.ts';

/**
 * Bodies up to this size on the wire are inflated in one synchronous call: for a page of 15 KB (3 KB on the wire) 28 µs
 * against 51 for a stream with its trips to the thread pool. The worst that fits in, a bomb, takes 6 ms until it is
 * stopped. Larger ones go through a stream as they come, so that a bomb also ends the download as soon as it shows.
 */
const atOnceBytes = 64 * 1024;
/** Small bodies may have any ratio: a page of a thousand equal rows is no attack. */
const ratioFreeBytes = 1024 * 1024;

export interface BodySource {
  pause(): void;
  resume(): void;
  /** Exactly one of these three is called, once. */
  whole(body: Buffer): void;
  /** More than was asked for is there; the rest need not come. */
  enough(body: Buffer): void;
  fail(error: unknown): void;
}

export interface BodyOptions extends Pick<FetchRequest, 'enoughBytes' | 'take'> {
  readonly limits: FetchLimits;
}

const nothing = Buffer.alloc(0);

/** Gathers a body, or hands it on piece by piece, undoes its codings, and counts bytes before and after that. */
export class BodyCollector {
  bytesOnWire = 0;
  readonly #source: BodySource;
  readonly #limits: FetchLimits;
  readonly #codings: readonly ContentCoding[];
  readonly #enoughBytes: number;
  readonly #take: FetchRequest['take'];
  #taken: Promise<void> | undefined;
  #chunks: Buffer[] = [];
  #stream: StreamInflater | undefined;

  constructor(source: BodySource, codings: readonly ContentCoding[], options: BodyOptions) {
    const { limits, enoughBytes = Number.POSITIVE_INFINITY, take } = options;
    this.#take = take;
    this.#source = source;
    this.#codings = codings;
    this.#limits = limits;
    this.#enoughBytes = enoughBytes;
  }

  push(chunk: Buffer): void {
    // undici's parser says so when it goes on after a pause; another pause for it would never end.
    if (chunk.length === 0) return;
    this.bytesOnWire += chunk.length;
    if (this.#codings.length === 0 && this.bytesOnWire > this.#enoughBytes) {
      this.#source.enough(this.#take ? nothing : join([...this.#chunks, chunk]));
    } else if (this.bytesOnWire > this.#limits.maxBytes) {
      this.#source.fail(tooLarge(this.#limits));
    } else if (this.#stream) {
      this.#stream.write(chunk);
    } else if (this.#take && this.#codings.length === 0) {
      this.#handOn(this.#take, chunk);
    } else {
      this.#chunks.push(chunk);
      if (this.#codings.length > 0 && this.bytesOnWire > this.#atOnceBytes)
        this.#stream = this.#startStream();
    }
  }

  end(): void {
    if (this.#stream) {
      this.#stream.end();
      return;
    }
    if (this.#take && this.#codings.length === 0) {
      void Promise.resolve(this.#taken).then(() => this.#source.whole(nothing));
      return;
    }
    let body = join(this.#chunks);
    this.#chunks = [];
    try {
      // An empty body is empty in every coding: some servers name one over nothing.
      if (body.length > 0) {
        for (const coding of this.#codings) body = inflateAtOnce(coding, body, this.#allowed());
      }
    } catch (error) {
      this.#source.fail(codingError(error));
      return;
    }
    // One byte of a compressed body, or none, is all that was not handed on by a stream.
    if (this.#take && body.length > 0) void this.#take(body);
    this.#source.whole(this.#take ? nothing : body);
  }

  /** Inflating at once gives all of a body or nothing; a part of it takes a stream, which needs two bytes to begin with. */
  get #atOnceBytes(): number {
    return this.#enoughBytes === Number.POSITIVE_INFINITY && !this.#take ? atOnceBytes : 1;
  }

  #handOn(take: NonNullable<FetchRequest['take']>, chunk: Buffer): void {
    const taken = take(chunk);
    if (!taken) return;
    this.#source.pause();
    this.#taken = taken.then(() => this.#source.resume());
  }

  /** Frees everything; nothing is called after it. */
  destroy(): void {
    this.#chunks = [];
    this.#stream?.destroy();
  }

  #startStream(): StreamInflater {
    const start = join(this.#chunks);
    this.#chunks = [];
    const stream = new StreamInflater(this.#codings, start, {
      allowed: () => this.#allowed(),
      enoughBytes: this.#enoughBytes,
      take: this.#take,
      pause: () => this.#source.pause(),
      resume: () => this.#source.resume(),
      whole: (chunks) => this.#source.whole(join(chunks)),
      enough: (chunks) => this.#source.enough(join(chunks)),
      failed: (error) => this.#source.fail(codingError(error)),
    });
    stream.write(start);
    return stream;
  }

  /** How many inflated bytes the bytes so far may have made. */
  #allowed(): number {
    const { maxBytes, maxRatio } = this.#limits;
    return Math.min(maxBytes, Math.max(ratioFreeBytes, this.bytesOnWire * maxRatio));
  }
}

export function tooLarge({ maxBytes }: FetchLimits): HoldfastError {
  return new HoldfastError('body_too_large', `more than ${maxBytes} bytes`);
}

const join = (chunks: Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
