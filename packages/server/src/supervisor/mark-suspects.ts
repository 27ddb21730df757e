import { type Queryable, run, statement } from '../database/statement.ts';

const markStatement = statement(
  'mark-suspects',
  `
INSERT INTO crawl_suspects AS known (job_id, url_hash, deaths)
SELECT $1, url_hash, 0 FROM unnest($2::uuid[]) AS url_hash
ON CONFLICT (job_id, url_hash) DO UPDATE SET deaths = known.deaths + CASE WHEN $3 THEN 1 ELSE 0 END`,
);

/** Remembers what was in flight when a runner died. A URL that was already suspect ran alone: that death is its own. */
export async function markSuspects(db: Queryable, jobId: string, inFlight: readonly string[]): Promise<void> {
  if (inFlight.length > 0) await run(db, markStatement, [jobId, inFlight, inFlight.length === 1]);
}
