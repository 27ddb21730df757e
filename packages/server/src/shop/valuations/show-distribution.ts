import { type Distribution, HoldfastError } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { findIntake } from '../intakes/find-intake.ts';
import { sortOut } from './comparables.ts';
import { distributionOf } from './distribution.ts';
import { readObservations } from './value-intake.ts';

/** What a valuation of the intake rests on now; with an owner, only if it is theirs. */
export async function showDistribution(
  db: Queryable,
  intakeId: string,
  owner?: string,
): Promise<Distribution> {
  const { currency } = await findIntake(db, intakeId, owner);
  const sorted = sortOut(await readObservations(db, intakeId), currency);
  if (sorted === null) throw new HoldfastError('valuation_not_found', intakeId);
  return distributionOf(sorted);
}
