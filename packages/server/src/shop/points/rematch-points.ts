import type { Intake } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { strengthFor } from './price-point.ts';

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

/** How well the points of an intake match what it is now. The caller holds the intake. */
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
