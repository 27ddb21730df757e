import pg from 'pg';
import { copyBytes } from '../../base/database/copy-bytes.ts';

export interface VisitedParts {
  /** About how many hashes there are. */
  readonly expected: number;
  /**
   * In one value, which comes from the server in one piece of 64 KB and need not be put together. A row for each hash takes the
   * driver ten times as long.
   */
  readonly partSize?: number;
  /** In one turn on the connection: checkpoints wait for it, and it for them. */
  readonly partsAtOnce?: number;
}

/**
 * Calls `use` with the hashes of the URLs that a crawl has met, 16 bytes each and in order, in parts of about `partSize`, for as long as
 * it says true. They are there for the time of the call only. Hashes are spread evenly, so that parts are ranges of them.
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

/** The last hash of this share of all there can be; none is all zeros. */
function boundOf(share: number): string {
  const next = Math.round(share * 2 ** 32);
  if (next === 0) return '00000000-0000-0000-0000-000000000000';
  return `${(next - 1).toString(16).padStart(8, '0')}-ffff-ffff-ffff-ffffffffffff`;
}
