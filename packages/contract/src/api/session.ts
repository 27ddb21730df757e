import { z } from 'zod';
import { text } from '../text-fields.ts';
import { keyScopes } from './key-scopes.ts';
import { timestamp } from './timestamp.ts';

/** Signs in to the console with an API key or the token of a printed sign-in link. */
export const sessionRequest = z.union([
  z.strictObject({ key: text(200) }),
  z.strictObject({ link: text(200) }),
]);

export const session = z
  .object({
    user_id: z.string(),
    key_name: z.string(),
    scopes: z.array(z.enum(keyScopes)),
    csrf_token: z.string().describe('send as X-CSRF-Token with every write'),
    expires_at: timestamp,
    offers_demo: z.boolean().describe('whether this server has a sample site to crawl'),
  })
  .meta({ id: 'Session' });
export type Session = z.input<typeof session>;
