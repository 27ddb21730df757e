import { type Queryable, run, statement } from '../database/statement.ts';

/** All in one value: a row for each takes the driver ten times as long. */
const visitedStatement = statement<{ hashes: Buffer | null }>(
  'read-visited',
  `
SELECT string_agg(uuid_send(url_hash), ''::bytea ORDER BY url_hash) AS hashes FROM (
  SELECT url_hash FROM crawl_visited WHERE job_id = $1 AND url_hash > $2 ORDER BY url_hash LIMIT $3
) part`,
);

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** The hashes of the URLs that a crawl has met, 16 bytes each, in parts of up to `size`. */
export async function* readVisited(db: Queryable, jobId: string, size: number): AsyncGenerator<Buffer> {
  for (let after = beforeAll; ; ) {
    const [part] = await run(db, visitedStatement, [jobId, after, size]);
    const hashes = part?.hashes;
    if (!hashes) return;
    yield hashes;
    if (hashes.length < 16 * size) return;
    after = hashes.toString('hex', hashes.length - 16);
  }
}
