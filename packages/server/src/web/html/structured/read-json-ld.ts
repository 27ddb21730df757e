import { decodeHTML } from 'entities';
import { limits } from '../limits.ts';
import { storableText } from '../page-text.ts';
import { repairJson } from './repair-json.ts';

export interface JsonLdOptions {
  /** Turns numbers into strings with their digits as written: prices must be exact, and JSON.parse makes floats. */
  readonly numbersAsText?: boolean;
}

/** The objects of a JSON-LD block; lists are flattened. Never throws: an unreadable block has no objects. */
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
  // Some sites escape the whole block for HTML, although a script's text is not decoded.
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

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The same JSON with its numbers in quotes. Invalid JSON stays invalid. */
function quoteNumbers(json: string): string {
  let out = '';
  let copied = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === 92) at++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 45 || (code >= 48 && code <= 57)) {
      number.lastIndex = at;
      const digits = number.exec(json)?.[0] ?? '';
      if (digits === '') continue;
      out += `${json.slice(copied, at)}"${digits}"`;
      copied = at + digits.length;
      at = copied - 1;
    }
  }
  return out + json.slice(copied);
}
