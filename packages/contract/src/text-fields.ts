import { z } from 'zod';

/** PostgreSQL stores no NUL and no half surrogate pair; refusing them here gives a clear error instead of its own. */
export const isStorable = (value: string) => !value.includes('\0') && value.isWellFormed();
export const notStorable = 'must be well-formed Unicode without NUL characters';

export const text = (max: number) => z.string().min(1).max(max).refine(isStorable, notStorable);

export const pageUrl = text(2048)
  .refine(
    (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    'must be an absolute http or https URL',
  )
  .meta({ format: 'uri', examples: ['https://example.com/'] });
