import pg from 'pg';
import { copyBytes } from '../../base/database/copy-bytes.ts';

export interface VisitedParts {
  /** Approximate number of hashes. */
  readonly expected: number;
  /** Hashes per value, which fits into one 64 KB read. One row per hash takes the driver ten times as long. */
  readonly partSize?: number;
  /** Values per query; checkpoints wait for it on the same connection. */
  readonly partsAtOnce?: number;
}

/**
 * Calls `use` with the hashes of a crawl's known URLs, 16 bytes each, in order and in chunks, as long as it returns
 * true. The buffer is valid only during the call. Hashes are evenly distributed, so parts are ranges of them.
 */
export async function readVisited(
  pool: pg.Pool,
  jobId: string,
  { expected, partSize = 3_000, partsAtOnce = 16 }: VisitedParts,
  use: (hashes: Buffer) => boolean,
): Promise<void> {
  const parts = Math.max(Math.ceil(expected / partSize), 1);
  let goesOn = true;
  for (let part = 0; part < parts && goesOn; part += partsAtOnce) {
    const bounds = Array.from({ length: Math.min(partsAtOnce, parts - part) + 1 }, (_, n) =>
      boundOf((part + n) / parts),
    );
    await copyBytes(pool, rangesText(jobId, bounds), (hashes) => {
      goesOn &&= use(hashes);
    });
  }
}

const rangesText = (jobId: string, bounds: readonly string[]) => `
SELECT (
  SELECT string_agg(uuid_send(url_hash), ''::bytea ORDER BY url_hash) FROM crawl_visited
  WHERE job_id = ${pg.escapeLiteral(jobId)} AND url_hash > range.after AND url_hash <= range.upto
) FROM (VALUES ${bounds
  .slice(1)
  .map((upto, n) => `('${bounds[n]}'::uuid, '${upto}'::uuid)`)
  .join(', ')}) AS range (after, upto)`;

/** The last hash of this share of the hash space; no hash is all zeros. */
function boundOf(share: number): string {
  const next = Math.round(share * 2 ** 32);
  if (next === 0) return '00000000-0000-0000-0000-000000000000';
  return `${(next - 1).toString(16).padStart(8, '0')}-ffff-ffff-ffff-ffffffffffff`;
}
