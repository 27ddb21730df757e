import { z } from 'zod';

type WithoutDefaults<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner extends z.ZodType>
    ? z.ZodOptional<Inner>
    : Shape[Name];
};

/**
 * The same fields, with defaults documented but not applied: requests are stored as sent, so a later version with other
 * defaults still recognises a repeated request.
 */
export function withoutDefaults<Shape extends z.ZodRawShape>(shape: Shape): WithoutDefaults<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => {
    if (!(field instanceof z.ZodDefault)) return [name, field];
    const inner = field.unwrap() as z.ZodType;
    return [name, inner.optional().meta({ ...field.meta(), default: field.def.defaultValue })];
  });
  return Object.fromEntries(fields) as WithoutDefaults<Shape>;
}
