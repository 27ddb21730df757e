import { z } from 'zod';

/** PostgreSQL has no year 0 and no offset beyond 15:59; nobody means either. */
const meant = (text: string) => {
  const offset = /[+-](\d\d):\d\d$/.exec(text);
  return !text.startsWith('0') && Number(offset?.[1] ?? 0) <= 15;
};

/** A time with its zone, as text: 2030-01-31T08:00:00Z. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine(meant, 'must be a time between the years 1000 and 9999');
