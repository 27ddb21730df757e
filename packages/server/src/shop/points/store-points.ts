import type { Intake, ListedPricePoint } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { lockIntake } from '../intakes/find-intakes.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { showPricePoint } from './find-price-points.ts';
import { type PricePoint, strengthFor } from './price-point.ts';

export interface StoredPoints {
  readonly added: number;
  /** Existing points that were replaced by a stronger match. */
  readonly strengthened: number;
  /** Existing points whose match was at least as strong. */
  readonly kept: number;
}

/*
 * An existing row changes only for a stronger match, in one statement so that no other writer gets in between. Duplicates in the
 * input are stored once, with the strongest match. Ids follow the given order; rows are written in key order, so that two writers
 * never deadlock.
 */
const storePointsStatement = statement<{ added: number; strengthened: number; given: number }>(
  'store-price-points',
  `
WITH given AS MATERIALIZED (
  SELECT DISTINCT ON ("dedupeKey") * FROM (
    SELECT uuid_v7() AS id, * FROM jsonb_to_recordset($5::jsonb) AS given (position integer, "dedupeKey" text,
      price numeric, currency text, "priceType" price_type, "matchStrength" numeric, "matchIsStated" boolean,
      "externalId" text, url text, title text, date timestamptz, attributes jsonb, raw text)
    ORDER BY position
  ) numbered
  ORDER BY "dedupeKey", "matchStrength" DESC, position
),
stored AS (
  INSERT INTO price_points AS point (id, intake_id, source_id, job_id, actor, dedupe_key, price, currency, price_type,
    match_strength, match_is_stated, external_id, listing_url, listing_title, listing_date, listing_attributes, raw,
    observed_at)
  SELECT id, $1, $2, $3, $4, "dedupeKey", price, currency, "priceType", "matchStrength", "matchIsStated", "externalId", url,
    title, date, attributes, raw::jsonb, $6
  FROM given
  ON CONFLICT (intake_id, source_id, dedupe_key) DO UPDATE SET
    job_id = excluded.job_id, actor = excluded.actor, price = excluded.price, currency = excluded.currency,
    price_type = excluded.price_type, match_strength = excluded.match_strength,
    match_is_stated = excluded.match_is_stated, external_id = excluded.external_id, listing_url = excluded.listing_url,
    listing_title = excluded.listing_title, listing_date = excluded.listing_date,
    listing_attributes = excluded.listing_attributes, raw = excluded.raw, observed_at = excluded.observed_at
  WHERE excluded.match_strength > point.match_strength
  RETURNING xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new)::int AS added, count(*) FILTER (WHERE NOT is_new)::int AS strengthened,
  (SELECT count(*)::int FROM given) AS given
FROM stored`,
);

interface PointOrigin {
  readonly intakeId: string;
  readonly sourceId: string;
  /** Null: imported. */
  readonly jobId: string | null;
  readonly actor: string;
  readonly observedAt: Date;
}

/** Stores each point of an intake and source once; a weaker match never replaces a stronger one. */
export async function storePoints(
  db: Queryable,
  { intakeId, sourceId, jobId, actor, observedAt }: PointOrigin,
  points: readonly PricePoint[],
): Promise<StoredPoints> {
  if (points.length === 0) return { added: 0, strengthened: 0, kept: 0 };
  const given = points.map((point, position) => ({ ...point, position }));
  const [stored] = await run(db, storePointsStatement, [
    intakeId,
    sourceId,
    jobId,
    actor,
    JSON.stringify(given),
    observedAt,
  ]);
  const { added = 0, strengthened = 0, given: distinct = 0 } = stored ?? {};
  return { added, strengthened, kept: distinct - added - strengthened };
}

interface MatchedListing {
  readonly id: string;
  readonly title: string | null;
  readonly attributes: Record<string, unknown> | null;
  readonly match_strength: string;
}

const listingsStatement = statement<MatchedListing>(
  'read-matched-listings',
  `
SELECT id, listing_title AS title, listing_attributes AS attributes, match_strength::text AS match_strength
FROM price_points WHERE intake_id = $1 AND NOT match_is_stated`,
);

const rematchStatement = statement<never>(
  'rematch-points',
  `
UPDATE price_points point SET match_strength = matched.strength
FROM unnest($1::uuid[], $2::numeric[]) AS matched (id, strength)
WHERE point.id = ANY ($1) AND point.id = matched.id`,
);

/** Recomputes the match strengths of an intake that was changed. The caller holds the intake. */
export async function rematchPoints(db: Queryable, intake: Intake): Promise<void> {
  const listings = await run(db, listingsStatement, [intake.id]);
  const moved = listings
    .map(({ match_strength, ...listing }) => ({
      id: listing.id,
      before: match_strength,
      strength: strengthFor(intake, listing),
    }))
    .filter(({ before, strength }) => before !== strength);
  if (moved.length === 0) return;
  await run(db, rematchStatement, [moved.map(({ id }) => id), moved.map(({ strength }) => strength)]);
}

const deleteStatement = statement<never>('delete-price-point', 'DELETE FROM price_points WHERE id = $1');

/** Deletes a wrong price and updates the valuation. It returns if its source still lists it. */
export function deletePricePoint(pool: pg.Pool, id: string, owner?: string): Promise<ListedPricePoint> {
  return inTransaction(pool, async (db) => {
    const { intake_id } = await showPricePoint(db, id, owner);
    const intake = await lockIntake(db, intake_id, owner);
    const { raw: _raw, listing_attributes: _attributes, ...point } = await showPricePoint(db, id, owner);
    await run(db, deleteStatement, [id]);
    await valueIntake(db, intake);
    return point;
  });
}
