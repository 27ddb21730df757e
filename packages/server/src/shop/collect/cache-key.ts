import { foldText } from '../points/fold-text.ts';

/** The attributes of a coin, in the order of their key. */
const coinFields = ['year', 'mintmark', 'denomination', 'series', 'title'] as const;

/**
 * The key of a source's answer: `source|year|mintmark|denomination|series|title` for coins. Whatever other attributes an
 * item has follow by name, so that two items never share an answer.
 */
export function cacheKey(sourceId: string, attributes: Readonly<Record<string, unknown>>): string {
  const isCoinField = new Set<string>(coinFields);
  const others = Object.keys(attributes)
    .filter((name) => !isCoinField.has(name) && valueText(attributes[name]) !== '')
    .sort()
    .map((name) => `${foldText(name)}=${valueText(attributes[name])}`);
  return [sourceId, ...coinFields.map((name) => valueText(attributes[name])), ...others].join('|');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return foldText(text).replaceAll('|', '¦');
}
