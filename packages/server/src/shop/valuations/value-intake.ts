import type { Intake } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import type { PriceObservation } from './comparables.ts';
import { valuate } from './valuation.ts';

/** Only the newest points count: old prices of an item that sells every hour say little. */
const maxObservations = 20_000;

const observationsStatement = statement<PriceObservation>(
  'read-observations',
  `
SELECT point.price::text AS price, point.currency, point.price_type AS "priceType", point.source_id AS "sourceId",
  source.reputation_weight::numeric::text AS reputation, point.match_strength::text AS "matchStrength"
FROM price_points point JOIN sources source ON source.id = point.source_id
WHERE point.intake_id = $1 ORDER BY point.id DESC LIMIT ${maxObservations}`,
);

/** The observations that a valuation of the intake is based on. */
export function readObservations(db: Queryable, intakeId: string): Promise<PriceObservation[]> {
  return run(db, observationsStatement, [intakeId]);
}

/** Adds a history row only if the valuation changed, regardless of its time. */
const storeStatement = statement<never>(
  'store-valuation',
  `
WITH given AS (
  SELECT * FROM jsonb_populate_record(NULL::valuations, $1::jsonb)
),
changed AS (
  SELECT given.* FROM given LEFT JOIN valuations before USING (intake_id)
  WHERE to_jsonb(before) - 'valued_at' IS DISTINCT FROM to_jsonb(given) - 'valued_at'
),
past AS (
  INSERT INTO valuation_history (intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources,
    sold, ask, outliers, other_currencies, not_used, confidence, reasons, valued_at)
  SELECT intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources,
    sold, ask, outliers, other_currencies, not_used, confidence, reasons, now() FROM changed
)
INSERT INTO valuations AS valuation (intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources,
  sold, ask, outliers, other_currencies, not_used, confidence, reasons, valued_at)
SELECT intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources,
  sold, ask, outliers, other_currencies, not_used, confidence, reasons, now() FROM given
ON CONFLICT (intake_id) DO UPDATE SET currency = excluded.currency, p10 = excluded.p10, p20 = excluded.p20,
  p40 = excluded.p40, median = excluded.median, p60 = excluded.p60, p80 = excluded.p80, p90 = excluded.p90,
  mean = excluded.mean, comparables = excluded.comparables, sources = excluded.sources, sold = excluded.sold,
  ask = excluded.ask, outliers = excluded.outliers, other_currencies = excluded.other_currencies,
  not_used = excluded.not_used, confidence = excluded.confidence, reasons = excluded.reasons,
  valued_at = excluded.valued_at`,
);

const dropStatement = statement<never>('drop-valuation', 'DELETE FROM valuations WHERE intake_id = $1');

const settledStatement = statement<never>(
  'valuation-settled',
  'UPDATE intakes SET valuation_due = false WHERE id = $1 AND valuation_due',
);

/** Updates the valuation of an intake that the caller has locked; deletes it if no point is comparable. */
export async function valueIntake(
  db: Queryable,
  { id, currency }: Pick<Intake, 'id' | 'currency'>,
): Promise<void> {
  const valuation = valuate(await readObservations(db, id), currency);
  if (valuation === null) await run(db, dropStatement, [id]);
  else {
    const { otherCurrencies, notUsed, ...rest } = valuation;
    const row = { intake_id: id, ...rest, other_currencies: otherCurrencies, not_used: notUsed };
    await run(db, storeStatement, [JSON.stringify(row)]);
  }
  await run(db, settledStatement, [id]);
}

const batch = 100;

const dueStatement = statement<{ id: string; currency: string | null }>(
  'lock-due-intakes',
  'SELECT id, currency FROM intakes WHERE valuation_due ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED',
);

/** Values the intakes that are due, in batches; any number of workers may run at once. Returns how many. */
export async function valueDueIntakes(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  let valued = 0;
  while (!signal?.aborted) {
    const done = await inTransaction(pool, async (db) => {
      const due = await run(db, dueStatement, [batch]);
      for (const intake of due) await valueIntake(db, intake);
      return due.length;
    });
    valued += done;
    if (done < batch) break;
  }
  return valued;
}
