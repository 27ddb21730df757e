import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { peek } from './text-stream.ts';

/** Servers send `.gz` files compressed once more. */
const maxLayers = 2;

/**
 * The stream, inflated if its first bytes are those of gzip: names and content types lie. Nothing is inflated before it
 * is asked for, so that who stops reading at a limit has spent no more than that.
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
  // An error destroys the gunzip with it, and comes out below.
  pipeline(Readable.from(whole, { objectMode: false, highWaterMark: 64 * 1024 }), gunzip).catch(() => {});
  try {
    yield* inflated(gunzip, layers - 1);
  } finally {
    gunzip.destroy();
  }
}
