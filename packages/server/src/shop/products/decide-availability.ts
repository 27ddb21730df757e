import { soldOutWords } from './buy-words.ts';
import type { Availability, Evidence } from './product.ts';
import { canBeBought, readAvailability } from './read-availability.ts';
import type { StructuredProduct } from './structured-product.ts';

export interface DecidedAvailability {
  readonly availability: Availability;
  readonly evidence: Evidence;
}

/** As declared: in stock if one of the variants is. Else as shown. */
export function decideAvailability(
  declared: readonly StructuredProduct[],
  shown: Evidence | null,
): DecidedAvailability | null {
  for (const { offers } of declared) {
    const known = offers.flatMap(({ availability: evidence }) => {
      const availability = evidence && readAvailability(evidence.text);
      return availability ? [{ availability, evidence }] : [];
    });
    const best = known.find(({ availability }) => canBeBought(availability)) ?? known[0];
    if (best !== undefined) return best;
  }
  if (shown === null) return null;
  return { availability: soldOutWords.test(shown.text) ? 'OutOfStock' : 'InStock', evidence: shown };
}
