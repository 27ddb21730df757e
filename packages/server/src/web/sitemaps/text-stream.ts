import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { encodingName } from '../charset/encodings.ts';

/** Decodes a stream by its byte order mark, the pattern of UTF-16, its XML declaration, or else as UTF-8. */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { head, whole } = await peek(chunks, declarationBytes);
  const decoder = new TextDecoder(encodingOf(head));
  for await (const chunk of whole) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Longer than any XML declaration. */
const declarationBytes = 256;

function encodingOf(head: Buffer): string {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const label = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)/.exec(
    head.toString('latin1', 0, declarationBytes),
  )?.[1];
  const declared = label === undefined ? null : encodingName(label);
  return declared === null || declared.startsWith('utf-16') || declared === 'x-user-defined'
    ? 'utf-8'
    : declared;
}

/**
 * Inflates a stream if it starts with the bytes of gzip: names and content types are unreliable. Inflates only on demand, so that a
 * reader that stops at a limit has not spent more.
 */
export async function* inflated(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  layers = maxLayers,
): AsyncGenerator<Uint8Array> {
  const { head, whole } = await peek(chunks, 2);
  if (layers === 0 || head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // An error destroys the gunzip and is thrown below.
  pipeline(Readable.from(whole, { objectMode: false, highWaterMark: 64 * 1024 }), gunzip).catch(() => {});
  try {
    yield* inflated(gunzip, layers - 1);
  } finally {
    gunzip.destroy();
  }
}

/** Servers send `.gz` files compressed once more. */
const maxLayers = 2;

/** Returns the first bytes of a stream, at least `count` if it has as many, and the whole stream. */
async function peek(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: number,
): Promise<{ head: Buffer; whole: AsyncGenerator<Uint8Array> }> {
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  let failure: { error: unknown } | undefined;
  try {
    while (length < count) {
      const { done, value } = await iterator.next();
      if (done) break;
      first.push(value);
      length += value.byteLength;
    }
  } catch (error) {
    failure = { error };
  }
  return { head: Buffer.concat(first), whole: replay() };

  async function* replay(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      if (failure) throw failure.error;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
}
