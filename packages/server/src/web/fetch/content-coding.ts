import zlib, {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';
import { HoldfastError } from '@holdfast/contract';
import type { FetchRequest } from './fetcher.ts';

/** `deflate` means zlib's format, but some servers send raw deflate. */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd';

type InflateStream = ReturnType<typeof createGunzip>;

/** Node 20 has no zstd, and its types do not know it. */
const { createZstdDecompress, zstdDecompressSync } = zlib as {
  createZstdDecompress?: (options: { chunkSize: number }) => InflateStream;
  zstdDecompressSync?: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
};

export const acceptEncoding = createZstdDecompress ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

const known: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  ...(createZstdDecompress && { zstd: 'zstd' }),
};

/** Ordinary responses have one; each further one multiplies the size of a decompression bomb. */
const maxCodings = 3;

/** The codings, in the order of decoding. */
export function readCodings(header: string | undefined): ContentCoding[] {
  if (!header) return [];
  const codings: ContentCoding[] = [];
  for (const word of header.toLowerCase().split(',')) {
    const name = word.trim();
    if (name === '' || name === 'identity') continue;
    const coding = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!coding) throw new HoldfastError('content_encoding_bad', `${name.slice(0, 40)} is not supported`);
    codings.unshift(coding);
  }
  if (codings.length > maxCodings) {
    throw new HoldfastError('content_encoding_bad', `${codings.length} nested encodings`);
  }
  return codings;
}

/** zlib's header: method 8, and a checksum over two bytes (RFC 1950). */
const hasZlibHeader = (start: Buffer) =>
  ((start[0] ?? 0) & 0x0f) === 8 && (((start[0] ?? 0) << 8) | (start[1] ?? 0)) % 31 === 0;

export function inflateAtOnce(coding: ContentCoding, bytes: Buffer, maxOutputLength: number): Buffer {
  if (coding === 'gzip') return gunzipSync(bytes, { maxOutputLength });
  if (coding === 'br') return brotliDecompressSync(bytes, { maxOutputLength });
  if (coding === 'zstd' && zstdDecompressSync) return zstdDecompressSync(bytes, { maxOutputLength });
  return (hasZlibHeader(bytes) ? inflateSync : inflateRawSync)(bytes, { maxOutputLength });
}

/** `start`: the first bytes that will be written, which distinguish the two kinds of deflate. */
function createInflateStream(coding: ContentCoding, start: Buffer): InflateStream {
  const options = { chunkSize: 64 * 1024 };
  if (coding === 'gzip') return createGunzip(options);
  if (coding === 'br') return createBrotliDecompress(options) as InflateStream;
  if (coding === 'zstd' && createZstdDecompress) return createZstdDecompress(options);
  return hasZlibHeader(start) ? createInflate(options) : createInflateRaw(options);
}

export function codingError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new HoldfastError('body_too_large', 'inflated');
  // Complete according to HTTP, but not to the coding: truncated on the way, or when it was generated.
  if (code === 'Z_BUF_ERROR') return new HoldfastError('connection_failed', 'the body ended early');
  return new HoldfastError('content_encoding_bad', 'the body is corrupt', { cause: error });
}

interface InflaterOwner {
  /** How many bytes may have been inflated by now. */
  allowed(): number;
  /** See FetchRequest. Counts the output of the chain. */
  readonly enoughBytes: number;
  /** Receives the output, which is otherwise collected. */
  readonly take: FetchRequest['take'];
  pause(): void;
  resume(): void;
  whole(chunks: Buffer[]): void;
  enough(chunks: Buffer[]): void;
  failed(error: unknown): void;
}

/**
 * A chain of zlib streams with a common limit. The output of every link is counted, because a bomb may expand in the middle and
 * shrink again. Memory is bounded by the permitted output and one chunk per link.
 */
export class StreamInflater {
  readonly #owner: InflaterOwner;
  readonly #links: readonly InflateStream[];
  readonly #first: InflateStream;
  #chunks: Buffer[] = [];

  /** `start`: see createInflateStream. Later links cannot know theirs and assume zlib's format. */
  constructor(codings: readonly ContentCoding[], start: Buffer, owner: InflaterOwner) {
    this.#owner = owner;
    const zlibStart = Buffer.from([0x78, 0x9c]);
    this.#links = codings.map((coding, at) => createInflateStream(coding, at === 0 ? start : zlibStart));
    const [first] = this.#links;
    if (!first) throw new Error('a chain without codings');
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
