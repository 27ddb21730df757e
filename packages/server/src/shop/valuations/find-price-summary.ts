import { type ApiValuation, HoldfastError, type JobStatus } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { showValuation } from './find-valuations.ts';

interface SourceSummary {
  readonly source_id: string;
  readonly points: number;
  readonly last_seen: Date | null;
  readonly last_status: JobStatus | null;
  readonly last_error: string | null;
}

export interface PriceSummary {
  readonly valuation: ApiValuation | null;
  /** Why there is none. */
  readonly not_valued: string | null;
  readonly sources: SourceSummary[];
}

/** What each source has said of an intake, and how its last job for it went. */
const sourcesStatement = statement<SourceSummary>(
  'summarise-sources',
  `
WITH point AS (
  SELECT source_id, count(*)::int AS points, max(observed_at) AS last_seen FROM price_points WHERE intake_id = $1::uuid
  GROUP BY source_id
),
job AS (
  SELECT DISTINCT ON (source_id) source_id, status, error_code FROM crawl_jobs
  WHERE kind = 'collect' AND user_id = (SELECT user_id FROM intakes WHERE id = $1::uuid)
    AND intake_id = $1::uuid
  ORDER BY source_id, id DESC
)
SELECT source_id, coalesce(points, 0) AS points, last_seen, status AS last_status, error_code AS last_error
FROM point FULL JOIN job USING (source_id) ORDER BY source_id`,
);

export async function findPriceSummary(db: Queryable, intakeId: string): Promise<PriceSummary> {
  const sources = await run(db, sourcesStatement, [intakeId]);
  try {
    return { valuation: await showValuation(db, intakeId), not_valued: null, sources };
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'valuation_not_found') throw error;
    return { valuation: null, not_valued: error.detail ?? error.message, sources };
  }
}
