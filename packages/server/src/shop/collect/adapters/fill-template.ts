import { HoldfastError } from '@holdfast/contract';
import type { ItemAttributes } from '../../points/match-strength.ts';

/** Environment variables by name. */
export type Secrets = Readonly<Record<string, string | undefined>>;

const placeholder = /\{([^{}]*)\}/g;
const secret = /^env:(HOLDFAST_SECRET_(?!KEY$)\w+)$/;

/** Fills a URL template. Attributes are encoded, so that they stay inside one part of the path or query. */
export function fillUrl(template: string, item: ItemAttributes, secrets: Secrets): string {
  return new URL(fill(template, item, secrets, (value) => encodeURIComponent(withoutDots(value)))).href;
}

/** Fills a header or form field. Control characters become spaces, so that no value can end the line. */
export function fillText(template: string, item: ItemAttributes, secrets: Secrets): string {
  return fill(template, item, secrets, (value) => value.replaceAll(/\p{Cc}/gu, ' '));
}

function fill(
  template: string,
  item: ItemAttributes,
  secrets: Secrets,
  encode: (value: string) => string,
): string {
  return template.replaceAll(placeholder, (_, name: string) => {
    const [, variable] = secret.exec(name) ?? [];
    return encode(variable === undefined ? attributeText(item, name) : secretOf(secrets, variable));
  });
}

function secretOf(secrets: Secrets, variable: string): string {
  const value = secrets[variable];
  if (!value) throw new HoldfastError('adapter_secret_missing', variable);
  return value;
}

function attributeText(item: ItemAttributes, name: string): string {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (value === undefined && name === 'query') return queryOf(item);
  return isPlain(value) ? String(value).toWellFormed() : '';
}

/** All words of the item's attributes, each once. */
function queryOf(item: ItemAttributes): string {
  const { title, ...others } = item;
  const words = [title, ...Object.values(others)]
    .filter(isPlain)
    .flatMap((value) => String(value).toWellFormed().split(/\s+/));
  const seen = new Set<string>();
  return words
    .filter((word) => word !== '' && !seen.has(word.toLowerCase()) && seen.add(word.toLowerCase()))
    .join(' ');
}

/** A path segment of dots alone would lead out of its folder. */
function withoutDots(value: string): string {
  return /^\.+$/.test(value) ? '' : value;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
