import {
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

/** `deflate` is zlib's format by the book, and raw deflate from servers that did not read it. */
export type ContentCoding = 'gzip' | 'deflate' | 'br';

/** What we ask for; Node 20 has no zstd. */
export const acceptEncoding = 'gzip, deflate, br';

const known: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
};

/** Honest answers have one; each more is a multiplier for whoever builds a bomb. */
const maxCodings = 3;

/** The codings in the order in which they are to be undone. */
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
    throw new HoldfastError('content_encoding_bad', `${codings.length} encodings one over the other`);
  }
  return codings;
}

/** Two bytes tell zlib's header: method 8, and a checksum over both (RFC 1950). */
const hasZlibHeader = (start: Buffer) =>
  ((start[0] ?? 0) & 0x0f) === 8 && (((start[0] ?? 0) << 8) | (start[1] ?? 0)) % 31 === 0;

export function inflateAtOnce(coding: ContentCoding, bytes: Buffer, maxOutputLength: number): Buffer {
  if (coding === 'gzip') return gunzipSync(bytes, { maxOutputLength });
  if (coding === 'br') return brotliDecompressSync(bytes, { maxOutputLength });
  return (hasZlibHeader(bytes) ? inflateSync : inflateRawSync)(bytes, { maxOutputLength });
}

export type InflateStream = ReturnType<typeof createGunzip>;

/** `start`: the first bytes that will be written, which tell the two kinds of deflate apart. */
export function createInflateStream(coding: ContentCoding, start: Buffer): InflateStream {
  const options = { chunkSize: 64 * 1024 };
  if (coding === 'gzip') return createGunzip(options);
  if (coding === 'br') return createBrotliDecompress(options) as InflateStream;
  return hasZlibHeader(start) ? createInflate(options) : createInflateRaw(options);
}

export function codingError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return new HoldfastError('body_too_large', 'inflated');
  // HTTP said that the body is whole and the coding says that it is not: cut on the way, or while it was made.
  if (code === 'Z_BUF_ERROR') return new HoldfastError('connection_failed', 'the body ended early');
  return new HoldfastError('content_encoding_bad', 'the body is corrupt', { cause: error });
}
