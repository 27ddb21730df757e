import { describeIssues, fieldName, HoldfastError, problemsOf } from '@holdfast/contract';
import type { z } from 'zod';

/**
 * The value as the schema reads it; throws `bad_request` with one detail for each field that is wrong. `within` names the field
 * that holds the value, or maps the names of its own fields.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  within?: string | ((field: string) => string),
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const nameOf =
    typeof within === 'function' ? within : (field: string) => [within, field].filter(Boolean).join('.');
  const details = problemsOf(result.error).map(({ path, message }) => ({
    field: nameOf(fieldName(path)),
    message,
  }));
  throw new HoldfastError('bad_request', describeIssues(result.error, nameOf), { details });
}
