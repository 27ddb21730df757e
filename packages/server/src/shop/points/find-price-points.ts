import { HoldfastError, type ListedPricePoint } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Prices and strengths stay text, so that no digit is lost. */
const columns = `point.id, point.intake_id, point.source_id, point.dedupe_key, point.price::text AS price, point.currency,
  point.price_type, point.match_strength::text AS match_strength, point.external_id, point.listing_url,
  point.listing_title, point.listing_date, point.observed_at, point.job_id, point.actor`;

export interface PointFilter {
  readonly owner?: string | undefined;
  readonly intakeId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly priceType?: string | undefined;
  readonly currency?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Cursor: id of the last point on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** With an intake, its index leads; without, points are read from the newest backwards. */
const list = (name: string, ofIntake: string) =>
  statement<ListedPricePoint>(
    name,
    `
SELECT ${columns} FROM price_points point
WHERE ${ofIntake}
  AND ($2::text IS NULL OR EXISTS (SELECT FROM intakes WHERE intakes.id = point.intake_id AND intakes.user_id = $2))
  AND ($3::text IS NULL OR point.source_id = $3) AND ($4::uuid IS NULL OR point.job_id = $4)
  AND ($5::price_type IS NULL OR point.price_type = $5) AND ($6::text IS NULL OR point.currency = $6)
  AND ($7::timestamptz IS NULL OR point.observed_at >= $7) AND ($8::timestamptz IS NULL OR point.observed_at < $8)
  AND ($9::uuid IS NULL OR point.id < $9)
ORDER BY point.id DESC LIMIT $10`,
  );
const listStatement = list('list-price-points', '$1::uuid IS NULL');
const listOfIntakeStatement = list('list-price-points-of-intake', 'point.intake_id = $1');

/** Newest first. */
export function listPricePoints(db: Queryable, filter: PointFilter): Promise<ListedPricePoint[]> {
  const { owner, intakeId, sourceId, jobId, priceType, currency, since, until, after, limit } = filter;
  return run(db, intakeId === undefined ? listStatement : listOfIntakeStatement, [
    intakeId,
    owner,
    sourceId,
    jobId,
    priceType,
    currency,
    since,
    until,
    after,
    limit,
  ]);
}

/** `raw`: the source's listing as JSON text, with all digits of its numbers. */
export interface FoundPricePoint extends ListedPricePoint {
  readonly listing_attributes: Record<string, unknown> | null;
  readonly raw: string | null;
}

const showStatement = statement<FoundPricePoint>(
  'show-price-point',
  `
SELECT ${columns}, point.listing_attributes, point.raw::text AS raw FROM price_points point
JOIN intakes intake ON intake.id = point.intake_id
WHERE point.id = $1 AND ($2::text IS NULL OR intake.user_id = $2)`,
);

export async function showPricePoint(db: Queryable, id: string, owner?: string): Promise<FoundPricePoint> {
  const [point] = await run(db, showStatement, [id, owner]);
  if (!point) throw new HoldfastError('price_point_not_found', id);
  return point;
}
