import { type Distribution, HoldfastError } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { findIntake } from '../intakes/find-intakes.ts';
import { minorDigits } from '../prices/currencies.ts';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  subtractDecimals,
} from '../prices/decimal.ts';
import { type Comparables, selectComparables } from './comparables.ts';
import { readObservations } from './value-intake.ts';

/** More bars than this cannot be told apart. */
const maxBins = 24;
/** Most outliers returned, those nearest to the other prices first. */
const maxOutliers = 50;

const whole = (units: number): Decimal => ({ units: BigInt(units), scale: 0 });

/** A histogram of the prices behind a valuation, in equal bins, with the outliers apart. */
export function distributionOf({ currency, used, outliers }: Comparables): Distribution {
  const low = used[0]?.value ?? whole(0);
  const high = used.at(-1)?.value ?? low;
  const span = subtractDecimals(high, low);
  const count = compareDecimals(span, whole(0)) === 0 ? 1 : Math.min(maxBins, 2 * used.length);
  const digits = Math.max(minorDigits(currency), low.scale, high.scale) + 2;
  const edge = (n: number) => {
    if (n === 0 || n === count) return n === 0 ? low : high;
    return addDecimals(low, divideDecimals(multiplyDecimals(span, whole(n)), whole(count), digits));
  };
  const bins = Array.from({ length: count }, (_, n) => ({
    from: formatDecimal(edge(n)),
    to: formatDecimal(edge(n + 1)),
    sold: 0,
    ask: 0,
  }));
  let at = 0;
  for (const { value, observation } of used) {
    while (at < count - 1 && compareDecimals(value, edge(at + 1)) >= 0) at++;
    const bin = bins[at];
    if (bin) bin[observation.priceType === 'sold' ? 'sold' : 'ask'] += 1;
  }
  const nearest = [...outliers].sort((a, b) => compareDecimals(away(a.value), away(b.value)));
  return {
    currency,
    bins,
    outliers: nearest.slice(0, maxOutliers).map(({ observation }) => ({
      price: observation.price,
      price_type: observation.priceType,
      source_id: observation.sourceId,
    })),
  };

  function away(value: Decimal): Decimal {
    return compareDecimals(value, low) < 0 ? subtractDecimals(low, value) : subtractDecimals(value, high);
  }
}

/** The distribution of an intake's current prices; with an owner, only if it is theirs. */
export async function showDistribution(
  db: Queryable,
  intakeId: string,
  owner?: string,
): Promise<Distribution> {
  const { currency } = await findIntake(db, intakeId, owner);
  const sorted = selectComparables(await readObservations(db, intakeId), currency);
  if (sorted === null) throw new HoldfastError('valuation_not_found', intakeId);
  return distributionOf(sorted);
}
