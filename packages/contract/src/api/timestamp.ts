import { z } from 'zod';

/** A time: a Date in the server, RFC 3339 text with a time zone in JSON. */
export const timestamp = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
