import { type ApiValuation, type HistoricValuation, HoldfastError, type JobStatus } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { findIntake } from '../intakes/find-intakes.ts';
import { whyNotValued } from './comparables.ts';
import { readObservations } from './value-intake.ts';

/** Amounts stay text, so that no digit is lost. */
const columns = `valuation.intake_id, valuation.currency, valuation.p10::text AS p10, valuation.p20::text AS p20,
  valuation.p40::text AS p40, valuation.median::text AS median, valuation.p60::text AS p60, valuation.p80::text AS p80,
  valuation.p90::text AS p90, valuation.mean::text AS mean, valuation.comparables, valuation.sources, valuation.sold,
  valuation.ask, valuation.outliers, valuation.other_currencies, valuation.not_used, valuation.confidence,
  valuation.reasons, valuation.valued_at`;

const showStatement = statement<ApiValuation>(
  'show-valuation',
  `SELECT ${columns} FROM valuations valuation WHERE intake_id = $1`,
);

const listStatement = statement<ApiValuation>(
  'list-valuations',
  `
SELECT ${columns} FROM valuations valuation JOIN intakes intake ON intake.id = valuation.intake_id
WHERE ($1::text IS NULL OR intake.user_id = $1) AND ($2::smallint IS NULL OR valuation.confidence >= $2)
  AND ($3::text IS NULL OR intake.tags @> ARRAY[$3]) AND ($4::uuid IS NULL OR valuation.intake_id < $4)
ORDER BY valuation.intake_id DESC LIMIT $5`,
);

const historyStatement = statement<HistoricValuation>(
  'list-valuation-history',
  `
SELECT valuation.id, ${columns} FROM valuation_history valuation
WHERE valuation.intake_id = $1 AND ($2::uuid IS NULL OR valuation.id < $2)
ORDER BY valuation.id DESC LIMIT $3`,
);

/** The valuation of an intake; with an owner, only if it is theirs. */
export async function showValuation(db: Queryable, intakeId: string, owner?: string): Promise<ApiValuation> {
  const { currency } = await findIntake(db, intakeId, owner);
  const [valuation] = await run(db, showStatement, [intakeId]);
  if (valuation) return valuation;
  throw new HoldfastError(
    'valuation_not_found',
    whyNotValued(await readObservations(db, intakeId), currency),
  );
}

interface ValuationFilter {
  readonly owner?: string | undefined;
  readonly confidence?: number | undefined;
  readonly tag?: string | undefined;
  /** Cursor: intake of the last valuation on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Newest intakes first. */
export function listValuations(db: Queryable, filter: ValuationFilter): Promise<ApiValuation[]> {
  const { owner, confidence, tag, after, limit } = filter;
  return run(db, listStatement, [owner, confidence, tag, after, limit]);
}

/** Earlier valuations of an intake, newest first. */
export async function listValuationHistory(
  db: Queryable,
  intakeId: string,
  { owner, after, limit }: { owner?: string | undefined; after?: string | undefined; limit: number },
): Promise<HistoricValuation[]> {
  await findIntake(db, intakeId, owner);
  return run(db, historyStatement, [intakeId, after, limit]);
}

interface SourceSummary {
  readonly source_id: string;
  readonly points: number;
  readonly last_seen: Date | null;
  readonly last_status: JobStatus | null;
  readonly last_error: string | null;
}

export interface PriceSummary {
  readonly valuation: ApiValuation | null;
  /** Why there is no valuation. */
  readonly not_valued: string | null;
  readonly sources: SourceSummary[];
}

/** What each source has found for an intake, and how its last job ended. */
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
