import { z } from 'zod';

/** A moment: a Date inside, text with a time zone (RFC 3339) in JSON. */
export const timestamp = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
