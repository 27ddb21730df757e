import { describeIssues, HoldfastError } from '@holdfast/contract';
import type { z } from 'zod';

/** Checks what the words of a command line came to; what is wrong is named as it was written there. */
export function checkFlags<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  nameOf: (field: string) => string = flagOf,
): z.output<Schema> {
  const checked = schema.safeParse(given);
  if (checked.success) return checked.data;
  throw new HoldfastError('bad_request', describeIssues(checked.error, nameOf), {
    hint: 'Correct that; --help shows what can be used.',
  });
}

export function flagOf(field: string): string {
  return field && `--${field.replaceAll('_', '-')}`;
}
