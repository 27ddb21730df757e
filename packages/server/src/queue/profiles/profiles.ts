import {
  type ApiProfile,
  type CheckedProfile,
  HoldfastError,
  type ProfileRequest,
  profileRequest,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { readCookies } from '../../web/cookies/read-cookies.ts';
import type { ProfileSecret } from './profile-session.ts';

/** The public view of a profile, without its values. */
export type Profile = Omit<ApiProfile, 'created_at' | 'updated_at' | 'last_used_at'> & {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_used_at: Date | null;
};

const columns = `id, name, user_id, origins, contents -> 'headers' AS headers, contents ->> 'auth' AS auth,
  contents -> 'cookies' AS cookies, contents ->> 'proxy' AS proxy, created_at, updated_at, last_used_at`;

const insertStatement = statement<Profile>(
  'insert-profile',
  `INSERT INTO profiles (user_id, name, origins, contents, secret_id, last_used_at)
   VALUES ($1, $2, $3, $4, $5, CASE WHEN $2::text IS NULL THEN now() END)
   ON CONFLICT (user_id, name) WHERE name IS NOT NULL DO NOTHING RETURNING ${columns}`,
);

const listStatement = statement<Profile>(
  'list-profiles',
  `SELECT ${columns} FROM profiles WHERE user_id = $1 AND name IS NOT NULL AND ($2::text IS NULL OR name > $2)
   ORDER BY name LIMIT $3`,
);

const findStatement = statement<Profile>(
  'find-profile',
  `SELECT ${columns} FROM profiles WHERE user_id = $1 AND name = $2`,
);

const replaceStatement = statement<Profile & { secret_id: string }>(
  'replace-profile',
  `UPDATE profiles SET origins = $3, contents = $4, edition = edition + 1, version = version + 1, updated_at = now()
   WHERE user_id = $1 AND (name = $2 OR (name IS NULL AND id = $5::uuid)) RETURNING ${columns}, secret_id`,
);

const deleteStatement = statement<Profile & { secret_id: string }>(
  'delete-profile',
  `DELETE FROM profiles WHERE user_id = $1 AND name = $2 RETURNING ${columns}, secret_id`,
);

/** The creator of a profile. */
interface Owned {
  readonly user_id: string;
}

/** Creates a profile. Its values are encrypted and never returned. */
export async function createProfile(
  pool: pg.Pool,
  store: SecretStore,
  { user_id, ...request }: ProfileRequest & Owned,
): Promise<Profile> {
  const given = checked(profileRequest, request);
  const { secret, contents } = contentsOf(given);
  return await inTransaction(pool, async (db) => {
    const secretId = await store.put(db, secret);
    const values = [user_id, given.name, given.origins, JSON.stringify(contents), secretId];
    const [profile] = await run(db, insertStatement, values);
    if (!profile) throw new HoldfastError('profile_exists', given.name);
    return profile;
  });
}

/** Replaces all values of a profile. Runs that use it read them before their next request. */
export async function replaceProfile(
  pool: pg.Pool,
  store: SecretStore,
  { user_id, ...request }: ProfileRequest & Owned,
): Promise<Profile> {
  const given = checked(profileRequest, request);
  const { secret, contents } = contentsOf(given);
  return await inTransaction(pool, async (db) => {
    const values = [user_id, given.name, given.origins, JSON.stringify(contents), null];
    const [replaced] = await run(db, replaceStatement, values);
    if (!replaced) throw new HoldfastError('profile_not_found', given.name);
    const { secret_id, ...profile } = replaced;
    await store.replace(db, secret_id, secret);
    return profile;
  });
}

/** What a request holds instead of a profile; see unnamed-profile.ts. */
export async function createUnnamed(
  pool: pg.Pool,
  store: SecretStore,
  { user_id, ...given }: Omit<CheckedProfile, 'name'> & Owned,
): Promise<string> {
  const { secret, contents } = contentsOf(given);
  return await inTransaction(pool, async (db) => {
    const secretId = await store.put(db, secret);
    const [profile] = await run(db, insertStatement, [
      user_id,
      null,
      given.origins,
      JSON.stringify(contents),
      secretId,
    ]);
    if (!profile) throw new HoldfastError('internal_error', 'the profile was not created');
    return profile.id;
  });
}

/** New values for the same job. Returns whether the profile exists. */
export async function replaceUnnamed(
  pool: pg.Pool,
  store: SecretStore,
  id: string,
  { user_id, ...given }: Omit<CheckedProfile, 'name'> & Owned,
): Promise<boolean> {
  const { secret, contents } = contentsOf(given);
  return await inTransaction(pool, async (db) => {
    const values = [user_id, null, given.origins, JSON.stringify(contents), id];
    const [replaced] = await run(db, replaceStatement, values);
    if (replaced) await store.replace(db, replaced.secret_id, secret);
    return replaced !== undefined;
  });
}

/** By name, after the profile `after`. */
export function listProfiles(db: Queryable, owner: string, limit = 1000, after?: string): Promise<Profile[]> {
  return run(db, listStatement, [owner, after, limit]);
}

export async function findProfile(db: Queryable, owner: string, name: string): Promise<Profile> {
  const [profile] = await run(db, findStatement, [owner, name]);
  if (!profile) throw new HoldfastError('profile_not_found', name);
  return profile;
}

/** Deletes a profile with its values. Jobs that use it fail with `profile_not_found`. */
export async function deleteProfile(
  pool: pg.Pool,
  store: SecretStore,
  owner: string,
  name: string,
): Promise<Profile> {
  return await inTransaction(pool, async (db) => {
    const [deleted] = await run(db, deleteStatement, [owner, name]);
    if (!deleted) throw new HoldfastError('profile_not_found', name);
    const { secret_id, ...profile } = deleted;
    await store.remove(db, secret_id);
    return profile;
  });
}

/** The encrypted values, and the part that may be shown. */
function contentsOf(given: Omit<CheckedProfile, 'name'>) {
  const headers = Object.fromEntries(
    Object.entries(given.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const { cookie, ...others } = headers;
  const cookies = readCookies(given, given.origins, cookie);
  const auth = given.basic_auth ? 'basic' : given.bearer_token === undefined ? null : 'bearer';
  const authorization = authorizationOf(given);
  const secret: ProfileSecret = { headers: { ...others, ...(authorization && { authorization }) }, cookies };
  const contents = {
    headers: Object.keys(others).sort(),
    auth,
    cookies: cookies.map(({ name, domain, expires }) => ({ name, domain, expires: expires ?? null })),
    proxy: given.proxy ?? null,
  };
  return { secret, contents };
}

function authorizationOf({
  basic_auth,
  bearer_token,
}: Pick<CheckedProfile, 'basic_auth' | 'bearer_token'>): string | undefined {
  if (bearer_token !== undefined) return `Bearer ${bearer_token}`;
  if (!basic_auth) return undefined;
  // RFC 7617: UTF-8, the only charset that servers can ask for.
  return `Basic ${Buffer.from(`${basic_auth.username}:${basic_auth.password}`).toString('base64')}`;
}
