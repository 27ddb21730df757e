import { z } from 'zod';
import { profileContents, profileProxy, profileRequest } from '../profile.ts';
import { botName } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

export const apiProfile = z
  .object({
    id: z.uuid(),
    name: z.string().nullable(),
    user_id: z.string().describe('owner; no one else can use it'),
    origins: z.array(z.string()).describe('the only origins that its values are sent to'),
    headers: z.array(z.string()).describe('names of its headers'),
    auth: z.enum(['basic', 'bearer']).nullable(),
    cookies: z
      .array(
        z.object({
          name: z.string(),
          domain: z.string(),
          expires: z.number().nullable().describe('seconds since 1970, as stored; null: a session cookie'),
        }),
      )
      .describe('its cookies, without their values'),
    proxy: z.string().nullable().describe('the proxy of jobs that use it; null: theirs'),
    created_at: timestamp,
    updated_at: timestamp.describe('when its values were last set'),
    last_used_at: timestamp.nullable().describe('accurate to a minute'),
  })
  .meta({ id: 'Profile' });
export type ApiProfile = z.input<typeof apiProfile>;

export const newProfile = profileRequest;
export type NewProfile = z.input<typeof newProfile>;

/** The name is in the path. */
export const replacedProfile = z
  .strictObject({ origins: profileRequest.shape.origins, ...profileContents, ...profileProxy })
  .meta({ id: 'ProfileReplacement' });

export const profileParams = z.strictObject({ name: botName });
export const profileList = pageOf(apiProfile);
export const profileListQuery = z.strictObject({
  limit: pageLimit,
  cursor: botName.optional().describe('name of the last profile of the previous page'),
});
