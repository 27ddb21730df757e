import { HoldfastError } from '@holdfast/contract';
import { parseExactJson } from '../../prices/exact-json.ts';

/** JSON in UTF-8, every number as it was written. */
export function readJson(body: Buffer | undefined): unknown {
  const text = new TextDecoder().decode(body ?? new Uint8Array());
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new HoldfastError('answer_invalid', `not JSON: ${(error as Error).message}`);
  }
}

/** What a path such as `price.value` or `offers.0.price` leads to; undefined if it leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
