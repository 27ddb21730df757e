import {
  basicAuth,
  bearerToken,
  type CheckedProfile,
  HoldfastError,
  plainHeaders,
  requestHeaders,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { createUnnamed, findProfile } from './profiles.ts';

type Payload = Readonly<Record<string, unknown>>;

/** A payload, and the secrets removed from it. */
export interface SplitPayload {
  readonly payload: Payload;
  readonly secrets: Omit<CheckedProfile, 'name'> | undefined;
}

/**
 * Removes password, token and headers that may be secret from a payload. They are sent only to the origins of its URLs.
 */
export function splitSecrets(given: Payload, url: unknown = given.url): SplitPayload {
  const { headers, basic_auth, bearer_token, ...rest } = given;
  const all = Object.entries(headers === undefined ? {} : checked(requestHeaders, headers, 'headers'));
  const isPlain = ([name]: [string, string]) => plainHeaders.includes(name.toLowerCase());
  const [plain, secret] = [all.filter(isPlain), all.filter((header) => !isPlain(header))];
  const payload = plain.length > 0 ? { ...rest, headers: Object.fromEntries(plain) } : rest;
  if (secret.length === 0 && basic_auth === undefined && bearer_token === undefined)
    return { payload, secrets: undefined };
  if (given.profile !== undefined)
    throw new HoldfastError('bad_request', 'a profile cannot be used together with secret headers', {
      hint: 'Put the headers into the profile, or leave one of them out.',
    });
  const logins = secret.filter(([name]) => name.toLowerCase() === 'authorization').length;
  if (logins + Number(basic_auth !== undefined) + Number(bearer_token !== undefined) > 1)
    throw new HoldfastError(
      'bad_request',
      'basic_auth, bearer_token and an Authorization header exclude each other',
    );
  const urls = [url, ...(Array.isArray(given.urls) ? given.urls : [])];
  return {
    payload,
    secrets: {
      origins: [...new Set(urls.map((one) => new URL(String(one)).origin))],
      headers: Object.fromEntries(secret),
      ...(basic_auth !== undefined && { basic_auth: checked(basicAuth, basic_auth, 'basic_auth') }),
      ...(bearer_token !== undefined && { bearer_token: checked(bearerToken, bearer_token, 'bearer_token') }),
    },
  };
}

/** The payload to store: its secrets are moved to an unnamed profile, and a profile that it names exists. */
export async function concealSecrets<Given extends Payload>(
  pool: pg.Pool,
  store: SecretStore,
  owner: string,
  given: Given,
  url: unknown = given.url,
): Promise<Given> {
  const { payload, secrets } = splitSecrets(given, url);
  if (typeof payload.profile === 'string') await findProfile(pool, owner, payload.profile);
  if (!secrets) return payload as Given;
  const unnamed_profile = await createUnnamed(pool, store, { ...secrets, user_id: owner });
  return { ...payload, unnamed_profile } as unknown as Given;
}

/* Live jobs have their own index; finished ones can be retried for as long as they are kept. */
const pruneStatement = statement<{ pruned: number }>(
  'prune-unnamed-profiles',
  `
WITH unused AS MATERIALIZED (
  SELECT id FROM profiles profile
  WHERE name IS NULL AND last_used_at < now() - make_interval(days => $1)
    AND NOT EXISTS (SELECT FROM crawl_policies WHERE options ->> 'unnamed_profile' = profile.id::text)
    AND NOT EXISTS (
      SELECT FROM crawl_jobs WHERE status IN ('pending', 'processing', 'retryable', 'paused')
        AND payload ->> 'unnamed_profile' = profile.id::text)
  LIMIT 1000
),
pruned AS (
  DELETE FROM profiles USING unused WHERE profiles.id = unused.id RETURNING secret_id
),
secret AS (
  DELETE FROM secrets USING pruned WHERE secrets.id = pruned.secret_id
)
SELECT count(*)::int AS pruned FROM pruned`,
);

/** Deletes unnamed profiles of deleted jobs. */
export async function pruneUnnamedProfiles(db: Queryable, retentionDays: number): Promise<number> {
  if (retentionDays === 0) return 0;
  const [row] = await run(db, pruneStatement, [retentionDays]);
  return row?.pruned ?? 0;
}
