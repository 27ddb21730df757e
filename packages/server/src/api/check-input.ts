import { HoldfastError, isStorable, notStorable } from '@holdfast/contract';

export const maxJsonDepth = 32;

interface Place {
  readonly value: unknown;
  readonly field: string;
  readonly depth: number;
}

/**
 * Refuses text that no database stores, and nesting that would exhaust the stack of whoever walks it. With a stack of
 * its own: the parser takes any depth.
 */
export function checkInput(input: unknown, name: string): void {
  const places: Place[] = [{ value: input, field: name, depth: 0 }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { value, field, depth } = place;
    if (typeof value === 'string') refuseUnstorable(value, field);
    if (typeof value !== 'object' || value === null) continue;
    if (depth === maxJsonDepth) throw new HoldfastError('bad_request', `${name}: nested too deeply`);
    for (const [key, inner] of Object.entries(value)) {
      refuseUnstorable(key, field);
      if (typeof inner === 'string' || (typeof inner === 'object' && inner !== null)) {
        places.push({ value: inner, field: `${field}.${key}`.slice(0, 200), depth: depth + 1 });
      }
    }
  }
}

function refuseUnstorable(text: string, field: string): void {
  if (!isStorable(text)) {
    throw new HoldfastError('bad_request', `${printable(field)}: ${notStorable}`);
  }
}

function printable(field: string): string {
  return field.toWellFormed().replaceAll(/\p{Cc}/gu, '�');
}
