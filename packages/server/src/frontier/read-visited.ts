import pg from 'pg';
import { copyBytes } from '../database/copy-bytes.ts';

/** All in one value: a row for each takes the driver ten times as long. */
const visitedText = (jobId: string, after: string, size: number) => `
SELECT string_agg(uuid_send(url_hash), ''::bytea ORDER BY url_hash) FROM (
  SELECT url_hash FROM crawl_visited
  WHERE job_id = ${pg.escapeLiteral(jobId)} AND url_hash > ${pg.escapeLiteral(after)} ORDER BY url_hash LIMIT ${size}
) part`;

const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Calls `use` with the hashes of the URLs that a crawl has met, 16 bytes each, in parts of up to `size`, for as long as it says
 * true. They are there for the time of the call only.
 */
export async function readVisited(
  pool: pg.Pool,
  jobId: string,
  size: number,
  use: (hashes: Buffer) => boolean,
): Promise<void> {
  let after: string | undefined = beforeAll;
  while (after !== undefined) {
    let last: string | undefined;
    await copyBytes(pool, visitedText(jobId, after, size), (hashes) => {
      if (use(hashes) && hashes.length === 16 * size) last = hashes.toString('hex', hashes.length - 16);
    });
    after = last;
  }
}
