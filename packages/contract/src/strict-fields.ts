import { z } from 'zod';
import { nearestName } from './nearest-name.ts';

export const notKnown = 'is not a known field';

/** An object of these fields and no others. What is not known is refused with the name that was probably meant. */
export function strictFields<Shape extends z.ZodRawShape>(
  shape: Shape,
  otherNames: Readonly<Record<string, string>> = {},
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    // A line for each of the keys, which `problemsOf` takes apart.
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? keys.map((key) => refusal(key, names, otherNames)).join('\n')
        : undefined,
  });
}

function refusal(key: string, names: readonly string[], otherNames: Readonly<Record<string, string>>) {
  const meant = nearestName(key, names, otherNames);
  return meant === undefined ? notKnown : `${notKnown}: did you mean ${meant}?`;
}
