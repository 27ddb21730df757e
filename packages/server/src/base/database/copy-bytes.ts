import pg from 'pg';

/** The signature, flags, and the length of what may follow them. */
const headerBytes = 19;

/** Hands on what COPY sends; the driver's own query passes over it. */
class CopyOut extends pg.Query {
  readonly #use: (bytes: Buffer) => void;
  #hasBegun = false;

  constructor(text: string, use: (bytes: Buffer) => void) {
    super(text);
    this.#use = use;
  }

  /** A row is one message, the end another; the header comes with whichever is the first. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const row = this.#hasBegun ? 0 : headerBytes + chunk.readInt32BE(headerBytes - 4);
    this.#hasBegun = true;
    if (row >= chunk.length || chunk.readInt16BE(row) !== 1) return;
    const length = chunk.readInt32BE(row + 2);
    if (length >= 0) this.#use(chunk.subarray(row + 6, row + 6 + length));
  }
}

/**
 * Calls `use` with the value of each row of a query for one column, as its bytes are; not for null. They are the driver's memory,
 * which it uses again: whoever wants to keep them copies them. Any other answer the driver reads as text, so that a bytea comes as
 * hexadecimal digits (measured: 130 ms of CPU for 16 MB against 300). COPY takes no parameters: whoever writes the text sees to
 * what is in it.
 */
export async function copyBytes(pool: pg.Pool, query: string, use: (bytes: Buffer) => void): Promise<void> {
  const copy = new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`, use);
  // Not of a client: that would hand back the query itself, and not wait for it.
  await pool.query(copy as unknown as pg.QueryConfig);
}
