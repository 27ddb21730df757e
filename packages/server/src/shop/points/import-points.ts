import { HoldfastError, maxImportedPoints, type NewPricePoint, newPricePoint } from '@holdfast/contract';
import type pg from 'pg';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { lockIntake } from '../intakes/find-intakes.ts';
import { fieldOfLine, readCsv } from '../intakes/read-csv.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { type Listing, pricePoint } from './price-point.ts';
import { type StoredPoints, storePoints } from './store-points.ts';

export interface PointImport {
  readonly intakeId: string;
  readonly sourceId: string;
  readonly points: readonly NewPricePoint[];
  readonly actor: string;
  readonly owner?: string | undefined;
}

const importingStatement = statement<{ adapter_type: string | null }>(
  'find-importing-source',
  'SELECT adapter_type FROM sources WHERE id = $1 AND configured',
);

/** Stores imported prices under the same rules as collected ones, all or none. */
export function importPoints(pool: pg.Pool, given: PointImport): Promise<StoredPoints> {
  const { intakeId, sourceId, actor, owner } = given;
  const points = given.points.map((point, at) => checked(newPricePoint, point, `price_points.${at}`));
  return inTransaction(pool, async (db) => {
    const intake = await lockIntake(db, intakeId, owner);
    const [source] = await run(db, importingStatement, [sourceId]);
    if (!source) throw new HoldfastError('source_not_found', sourceId);
    if (source.adapter_type !== 'import')
      throw new HoldfastError('bad_request', `source_id: the adapter of ${sourceId} is not import`);
    const observedAt = new Date();
    const stored = await storePoints(
      db,
      { intakeId, sourceId, jobId: null, actor, observedAt },
      points.map((point) => pricePoint(intake, listingOf(point), observedAt, point.match_strength)),
    );
    await valueIntake(db, intake);
    return stored;
  });
}

/** Reads prices from CSV, one per row. Columns that are not fields become attributes of the listing. */
export function pointsFromCsv(csv: string): NewPricePoint[] {
  const names = new Set([
    'price',
    'currency',
    'price_type',
    'title',
    'url',
    'date',
    'external_id',
    'match_strength',
  ]);
  return readCsv(csv, maxImportedPoints).map(({ line, cells }) => {
    const entries = Object.entries(cells);
    const attributes = entries.filter(([name]) => !names.has(name));
    const point = {
      ...Object.fromEntries(entries.filter(([name]) => names.has(name))),
      ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
    };
    // Checked here, where the line number is known.
    checked(newPricePoint, point, fieldOfLine(line));
    return point as NewPricePoint;
  });
}

function listingOf(point: z.output<typeof newPricePoint>): Listing {
  const { price, currency, price_type, title, url, date, external_id, attributes } = point;
  const texts = Object.entries(attributes ?? {}).map(([name, value]) => [name, String(value)] as const);
  return {
    price,
    currency,
    priceType: price_type,
    title: title ?? null,
    url: url ?? null,
    externalId: external_id ?? null,
    date: date == null ? null : new Date(date).toISOString(),
    attributes: texts.length > 0 ? Object.fromEntries(texts) : null,
    raw: null,
  };
}
