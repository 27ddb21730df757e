import { decodeHTML } from 'entities';
import { limits } from '../limits.ts';
import { storableText } from '../storable-text.ts';
import { quoteNumbers } from './quote-numbers.ts';
import { repairJson } from './repair-json.ts';

export interface JsonLdOptions {
  /** Numbers become strings with the digits as written: JSON.parse makes floats of them, and prices must be exact. */
  readonly numbersAsText?: boolean;
}

/** The objects of one JSON-LD block, those of a list one by one. Never throws: what cannot be read gives nothing. */
export function readJsonLd(source: string, options: JsonLdOptions = {}): object[] {
  if (source.length > limits.jsonLdLength) return [];
  const text = source.trim();
  if (text === '') return [];
  const values = parseValues(text, options);
  return values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(
      (item): item is object => typeof item === 'object' && item !== null && Object.keys(item).length > 0,
    );
}

function parseValues(text: string, options: JsonLdOptions): unknown[] {
  const whole = parse(text, options);
  if (whole !== undefined) return [whole];
  // Some sites escape the whole block for HTML; a script's text is not decoded by the page's own rules.
  const decoded = text.includes('&quot;') && !text.includes('"') ? decodeHTML(text) : text;
  return repairJson(decoded)
    .map((value) => parse(value, options))
    .filter((value) => value !== undefined);
}

function parse(text: string, { numbersAsText = false }: JsonLdOptions): unknown {
  if (nestsDeeper(text, limits.jsonDepth)) return undefined;
  try {
    if (numbersAsText) return parse(quoteNumbers(text), {});
    const escapesTheUnstorable = /\\u(?:0000|d[89a-f])/i.test(text) || !text.isWellFormed();
    return JSON.parse(text, escapesTheUnstorable ? storable : undefined);
  } catch {
    return undefined;
  }
}

function storable(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  for (const key of Object.keys(value)) {
    const clean = storableText(key);
    if (clean === key) continue;
    const object = value as Record<string, unknown>;
    object[clean] = object[key];
    delete object[key];
  }
  return value;
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      if (++depth > limit) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}
