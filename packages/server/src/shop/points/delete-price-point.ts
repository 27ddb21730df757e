import type { ListedPricePoint } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { lockIntake } from '../intakes/find-intake.ts';
import { valueIntake } from '../valuations/value-intake.ts';
import { showPricePoint } from './find-price-points.ts';

const deleteStatement = statement<never>('delete-price-point', 'DELETE FROM price_points WHERE id = $1');

/** For a price that is none; its intake is valued without it. A source that still shows it brings it back. */
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
