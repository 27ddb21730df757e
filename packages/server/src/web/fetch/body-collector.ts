import { HoldfastError } from '@holdfast/contract';
import { type ContentCoding, codingError, inflateAtOnce, StreamInflater } from './content-coding.ts';
import type { FetchLimits, FetchRequest } from './fetcher.ts';

/**
 * Bodies up to this size on the wire are inflated in one synchronous call: 28 µs for a page of 15 KB (3 KB on the wire) instead
 * of 51 for a stream with its trips to the thread pool. The worst case, a bomb, takes 6 ms to detect. Larger bodies are inflated
 * as they arrive, so that a bomb also ends the download.
 */
const atOnceBytes = 64 * 1024;
/** Small bodies may have any ratio: a page of a thousand equal rows is not an attack. */
const ratioFreeBytes = 1024 * 1024;

export interface BodySource {
  pause(): void;
  resume(): void;
  /** Exactly one of these three is called, once. */
  whole(body: Buffer): void;
  /** `enoughBytes` have arrived; the rest is not needed. */
  enough(body: Buffer): void;
  fail(error: unknown): void;
}

export interface BodyOptions extends Pick<FetchRequest, 'enoughBytes' | 'take'> {
  readonly limits: FetchLimits;
}

const nothing = Buffer.alloc(0);

/** Collects a body, or passes it on piece by piece; decodes it, and counts bytes before and after decoding. */
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
    // undici's parser emits an empty chunk when it resumes; pausing for that would never end.
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
      // An empty body is valid in every coding: some servers declare one for it.
      if (body.length > 0) {
        for (const coding of this.#codings) body = inflateAtOnce(coding, body, this.#allowed());
      }
    } catch (error) {
      this.#source.fail(codingError(error));
      return;
    }
    // Only bodies of at most one compressed byte do not go through a stream.
    if (this.#take && body.length > 0) void this.#take(body);
    this.#source.whole(this.#take ? nothing : body);
  }

  /** Inflating at once returns a whole body or nothing. A part of it needs a stream, which needs two bytes to start. */
  get #atOnceBytes(): number {
    return this.#enoughBytes === Number.POSITIVE_INFINITY && !this.#take ? atOnceBytes : 1;
  }

  #handOn(take: NonNullable<FetchRequest['take']>, chunk: Buffer): void {
    const taken = take(chunk);
    if (!taken) return;
    this.#source.pause();
    this.#taken = taken.then(() => this.#source.resume());
  }

  /** Releases everything; no callback is called afterwards. */
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

  /** How many inflated bytes are permitted for the bytes received so far. */
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
