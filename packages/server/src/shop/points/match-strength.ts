export type ItemAttributes = Readonly<Record<string, unknown>>;

interface ListingDescription {
  readonly title: string;
  /** What the source states apart from the title. */
  readonly attributes?: ItemAttributes | undefined;
}

/** Attributes that a listing of the same item must agree on, unless the intake names its own. */
const mustAgree: readonly string[] = ['year', 'mintmark', 'denomination', 'grade'];

/** Factor for each required attribute that the listing does not mention. */
const silence = 0.8;
const digits = 3;

/**
 * How surely a listing is of the item, from 0 to 1: the share of the item's words in the listing, reduced for required attributes
 * that it does not mention, and 0 if it contradicts one. Exact decimal, three digits.
 */
export function matchStrength(
  item: ItemAttributes,
  listing: ListingDescription,
  required: readonly string[] = mustAgree,
): string {
  const listed = wordsOf(listing.title);
  const stated = listing.attributes ?? {};
  for (const value of Object.values(stated)) for (const word of wordsOf(textOf(value))) listed.add(word);
  let strength = 1;
  for (const name of required) {
    const wanted = foldText(textOf(item[name]));
    if (wanted === '') continue;
    const agreement = agrees(name, wanted, listing, stated, listed);
    if (agreement === false) return (0).toFixed(digits);
    if (agreement === undefined) strength *= silence;
  }
  const words = new Set(Object.values(item).flatMap((value) => [...wordsOf(textOf(value))]));
  if (words.size === 0) return (0).toFixed(digits);
  let found = 0;
  for (const word of words) if (listed.has(word)) found++;
  return ((strength * found) / words.size).toFixed(digits);
}

/** True if the listing agrees, false if it contradicts, undefined if it does not say. */
function agrees(
  name: string,
  wanted: string,
  listing: ListingDescription,
  stated: ItemAttributes,
  listed: ReadonlySet<string>,
): boolean | undefined {
  const own = foldText(textOf(stated[name]));
  if (own !== '') return own === wanted;
  if (name === 'year') return oneOf(yearsIn(listing.title), wanted);
  if (name === 'mintmark') return oneOf(mintmarksIn(listing.title), wanted);
  if (name === 'grade') return oneOf(gradesIn(listing.title), wanted.replace(/\s|-/g, ''));
  return [...wordsOf(wanted)].every((word) => listed.has(word)) || undefined;
}

function oneOf(found: readonly string[], wanted: string): boolean | undefined {
  return found.length === 0 ? undefined : found.includes(wanted);
}

function yearsIn(title: string): string[] {
  return title.match(/(?<!\d)(?:1[5-9]|20)\d\d(?!\d)/g) ?? [];
}

/** As collectors write them: `1881-S`, `1893 CC`, `1921D`. Without a hyphen only common ones: `1881 A fine one` has none. */
function mintmarksIn(title: string): string[] {
  return [...title.matchAll(/(?<!\d)(?:1[5-9]|20)\d\d(?:-([A-Z]{1,2})| ?(CC|[PDSOCW]))(?![A-Za-z])/g)].map(
    ([, hyphened, plain = '']) => (hyphened ?? plain).toLowerCase(),
  );
}

/** Grades on the Sheldon scale: `MS-65`, `PF 69`, `VF20`. */
function gradesIn(title: string): string[] {
  return [...title.matchAll(/\b(ms|pf|pr|sp|au|xf|ef|vf|f|vg|g|ag)[- ]?(\d{1,2})\b/gi)].map(
    ([, letters = '', number = '']) => `${letters}${number}`.toLowerCase(),
  );
}

function wordsOf(text: string): Set<string> {
  return new Set(foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Lower case with white space folded, so that two spellings of a title compare equal. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}
