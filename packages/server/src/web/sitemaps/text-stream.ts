/** The first bytes of a stream, at least `count` if it has so many, and the stream as if they had not been read. */
export async function peek(
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
