import { type Availability, availabilities } from './product.ts';

const byName = new Map(availabilities.map((name) => [name.toLowerCase(), name]));
const notForSale = new Set<Availability>(['OutOfStock', 'SoldOut', 'Discontinued', 'Reserved', 'BackOrder']);

/** What a structured value says: schema.org's word, OpenGraph's, or a shop's own for either. */
export function readAvailability(text: string): Availability | null {
  const word = text
    .slice(text.search(/[^/#]*\/?$/))
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  const known = byName.get(word);
  if (known !== undefined) return known;
  if (/^(?:available|availablefororder|instocknow|onstock|true|yes|lowstock|instock\w*)$/.test(word))
    return 'InStock';
  if (/^(?:oos|outofstock\w*|notavailable|unavailable|soldout\w*|false|no)$/.test(word)) return 'OutOfStock';
  return null;
}

export function canBeBought(availability: Availability): boolean {
  return !notForSale.has(availability);
}
