import pg from 'pg';

/** The signature, flags, and the length of what may follow them. */
const headerBytes = 19;

/** Reads what COPY sends; the driver's own query passes over it. */
class CopyOut extends pg.Query {
  readonly chunks: Buffer[] = [];

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.chunks.push(chunk);
  }
}

/**
 * The value of a query for one row of one column, as its bytes are: null for no row, or no value. The driver reads any other
 * answer as text, so that a bytea comes as hexadecimal digits (measured: 130 ms of CPU for 16 MB against 300). COPY takes no
 * parameters: whoever writes the text sees to what is in it.
 */
export async function copyBytes(pool: pg.Pool, query: string): Promise<Buffer | null> {
  const copy = new CopyOut(`COPY (${query}) TO STDOUT (FORMAT binary)`);
  // Not of a client: that would hand back the query itself, and not wait for it.
  await pool.query(copy as unknown as pg.QueryConfig);
  const bytes = Buffer.concat(copy.chunks);
  const row = headerBytes + bytes.readInt32BE(headerBytes - 4);
  const length = bytes.readInt16BE(row) === 1 ? bytes.readInt32BE(row + 2) : -1;
  return length < 0 ? null : bytes.subarray(row + 6, row + 6 + length);
}
