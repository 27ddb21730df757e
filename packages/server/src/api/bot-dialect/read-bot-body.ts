import { HoldfastError } from '@holdfast/contract';
import { LosslessNumber, stringify } from 'lossless-json';
import { parseExactJson } from '../../shop/bots/parse-exact-json.ts';

/**
 * The body of a bot's request, ready for its schema: prices as they were written, parsed data as JSON text with every digit
 * it had, all other numbers as numbers.
 */
export function readBotBody(text: string): unknown {
  try {
    return fields(parseExactJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HoldfastError('bad_request', `the body is not JSON: ${error.message}`);
  }
}

function fields(value: unknown): unknown {
  if (!isObject(value)) return plain(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === 'price' && inner instanceof LosslessNumber) return [name, inner.value];
      if (name === 'parsed_data' && inner !== null) return [name, stringify(inner)];
      if (name === 'items' && Array.isArray(inner)) return [name, inner.map(fields)];
      return [name, plain(inner)];
    }),
  );
}

function plain(value: unknown): unknown {
  if (value instanceof LosslessNumber) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
  );
}
