import { z } from 'zod';

/** PostgreSQL has no year 0 and no offset beyond 15:59, RFC 3339 no year of five digits; nobody means any of them. */
const isMeant = (text: string) => {
  const [, hours = '0'] = /[+-](\d\d):\d\d$/.exec(text) ?? [];
  const year = new Date(text).getUTCFullYear();
  return year >= 1000 && year <= 9999 && Number(hours) <= 15;
};

/** A time with its zone, as text: 2030-01-31T08:00:00Z. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine(isMeant, 'must be a time between the years 1000 and 9999');
