import type { ReadBody, ReadOptions } from './read-body.ts';

/** What a reading thread starts with. */
export interface ReadingData {
  readonly options: ReadOptions;
  /** In shared memory: how many tasks it has begun. */
  readonly begun: Int32Array;
}

export interface ReadTask {
  readonly url: string;
  readonly contentType: string | undefined;
  /** All of its memory: it changes hands. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Of the page in the baseline of a recrawl. */
  readonly baselineHash: string | null | undefined;
}

/** Of the oldest task that has none yet. */
export type ReadAnswer = ReadBody | { readonly failure: string };

/** A copy with memory of its own: of a part of a larger piece, all of that piece would change hands. */
export function exactBytes(bytes: Buffer | null): Buffer<ArrayBuffer> | null {
  if (bytes === null) return null;
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return Buffer.from(own.buffer);
}
