import { decimalText, HoldfastError, type PriceType, parseUrl, priceTypes } from '@holdfast/contract';
import { LosslessNumber } from 'lossless-json';
import type { Listing } from '../../points/price-point.ts';
import { parseExactJson } from '../../prices/exact-json.ts';
import { parsePrice } from '../../prices/parse-price.ts';

/** Parses UTF-8 JSON, keeping every number as written. */
export function readJson(body: Buffer | undefined): unknown {
  const text = new TextDecoder().decode(body ?? new Uint8Array());
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new HoldfastError('answer_invalid', `not JSON: ${(error as Error).message}`);
  }
}

/** The value at a path such as `price.value` or `offers.0.price`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** The fields of a listing as the source gives them: text, exact numbers, or nothing. */
export interface ListingFields {
  readonly price?: unknown;
  readonly currency?: unknown;
  readonly price_type?: unknown;
  readonly title?: unknown;
  readonly url?: unknown;
  readonly external_id?: unknown;
  readonly date?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** Values for fields that a listing does not have. */
interface ListingDefaults {
  readonly price_type: PriceType;
  readonly currency?: string | undefined;
  readonly region?: string | undefined;
}

const maxRawLength = 50_000;

/** Null without a price or a currency. `base`: the URL that links are relative to. */
export function makeListing(
  fields: ListingFields,
  defaults: ListingDefaults,
  { raw, base }: { readonly raw: string | null; readonly base?: string | undefined },
): Listing | null {
  const priceText = textOf(fields.price, 200);
  const said = textOf(fields.currency, 100);
  const plain = priceText === null ? undefined : decimalText(priceText);
  const parsed = parsePrice(priceText, { currency: said, region: defaults.region });
  const price = plain ?? (parsed.amount === null ? undefined : decimalText(parsed.amount));
  const currency = codeOf(said) ?? parsed.currency ?? defaults.currency;
  if (price === undefined || price.startsWith('-') || currency === undefined) return null;
  return {
    price,
    currency,
    priceType: priceTypeOf(fields.price_type) ?? defaults.price_type,
    title: textOf(fields.title, 1000),
    url: urlOf(textOf(fields.url, 2048), base),
    externalId: textOf(fields.external_id, 400),
    date: dateOf(fields.date),
    attributes: attributesOf(fields.attributes),
    raw: raw !== null && raw.length <= maxRawLength ? raw : null,
  };
}

/** Folds white space and replaces what PostgreSQL cannot store. */
function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'boolean' && !isNumber(value)) return null;
  const text = String(value)
    .replaceAll(/[\s\0]+/g, ' ')
    .toWellFormed()
    .trim();
  return text === '' ? null : text.slice(0, max).toWellFormed();
}

function codeOf(text: string | null): string | undefined {
  return text !== null && /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined;
}

function priceTypeOf(value: unknown): PriceType | undefined {
  const word = textOf(value, 20)?.toLowerCase();
  return priceTypes.find((type) => type === word);
}

function urlOf(text: string | null, base: string | undefined): string | null {
  const url = text === null ? undefined : parseUrl(text, base);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= 2048 ? url.href : null;
}

/** A date as text, or seconds or milliseconds since the epoch. */
function dateOf(value: unknown): string | null {
  const text = textOf(value, 100);
  if (text === null) return null;
  const number = isNumber(value) || /^\d{9,14}$/.test(text) ? Number(text) : undefined;
  const at = new Date(number === undefined ? Date.parse(text) : number < 1e11 ? number * 1000 : number);
  const year = at.getUTCFullYear();
  return year >= 1000 && year <= 9999 ? at.toISOString() : null;
}

function attributesOf(given: ListingFields['attributes']): Record<string, string> | null {
  const entries = Object.entries(given ?? {}).flatMap(([name, value]) => {
    const text = textOf(value, 500);
    return text === null ? [] : [[name, text] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof LosslessNumber;
}
