import { fieldName, HoldfastError, isStorable, notStorable } from '@holdfast/contract';

export const maxJsonDepth = 32;

interface Place {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * Refuses text that no database stores, and nesting that would exhaust the stack of whoever walks it. With a stack of
 * its own: the parser takes any depth.
 */
export function checkInput(input: unknown, name: string): void {
  const places: Place[] = [{ value: input, path: [] }];
  const refuse = (path: readonly PropertyKey[], message: string) => {
    const field = printable(fieldName(path)).slice(0, 200) || name;
    throw new HoldfastError('bad_request', `${field} ${message}`, { details: [{ field, message }] });
  };
  for (let place = places.pop(); place; place = places.pop()) {
    const { value, path } = place;
    if (typeof value === 'string' && !isStorable(value)) refuse(path, notStorable);
    if (typeof value !== 'object' || value === null) continue;
    if (path.length === maxJsonDepth) refuse([], `must not be nested deeper than ${maxJsonDepth} levels`);
    for (const [key, inner] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (!isStorable(key)) refuse([...path, step], notStorable);
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) {
        places.push({ value: inner, path: [...path, step] });
      }
    }
  }
}

function printable(field: string): string {
  return field.toWellFormed().replaceAll(/\p{Cc}/gu, '�');
}
