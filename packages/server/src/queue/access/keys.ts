import { createHash, randomBytes } from 'node:crypto';
import {
  type ApiKey,
  type CreatedKey,
  describeIssues,
  HoldfastError,
  type KeyRequest,
  keyRequest,
} from '@holdfast/contract';
import type pg from 'pg';
import { isId, notFound } from '../../base/database/ids.ts';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';

const columns = [
  'id',
  'prefix',
  'name',
  'user_id',
  'scopes',
  'bot_id',
  'max_live_jobs',
  'max_jobs_per_day',
  'max_requests_per_minute',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const satisfies (keyof ApiKey)[];

/** The driver cannot parse an array of an enum, so scopes are read as text. */
export const keyColumns = columns
  .map((column) => (column === 'scopes' ? 'scopes::text[] AS scopes' : column))
  .join(', ');

const createKeyStatement = statement<ApiKey>(
  'create-key',
  `
INSERT INTO api_keys (secret_hash, prefix, name, user_id, scopes, bot_id, expires_at, max_live_jobs, max_jobs_per_day,
  max_requests_per_minute)
VALUES ($1, $2, $3, $4, $5::text[]::key_scope[], $6, $7, $8, $9, $10)
RETURNING ${keyColumns}`,
);

/** Creates a key. Only this answer carries its secret. */
export async function createKey(db: Queryable, request: KeyRequest): Promise<CreatedKey> {
  const checked = keyRequest.safeParse(request);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  const { name, user_id, scopes, bot_id, expires_at, ...quotas } = checked.data;
  // Not in the schema: whether a moment has passed depends on when the key is created.
  if (expires_at !== undefined && Date.parse(expires_at) <= Date.now()) throw alreadyExpired();
  const { secret, prefix, hash } = makeSecret();
  const { max_live_jobs, max_jobs_per_day, max_requests_per_minute } = quotas;
  const [key] = await run(db, createKeyStatement, [
    hash,
    prefix,
    name,
    user_id,
    [...new Set(scopes)],
    bot_id,
    expires_at,
    max_live_jobs,
    max_jobs_per_day,
    max_requests_per_minute,
  ]);
  if (!key) throw new HoldfastError('internal_error', 'the key was not created');
  return { ...key, secret };
}

function alreadyExpired(): HoldfastError {
  const problem = { field: 'expires_at', message: 'must be in the future' };
  return new HoldfastError('bad_request', `${problem.field} ${problem.message}`, { details: [problem] });
}

/** Two processes that start at once create one key: the second waits here, then finds it. */
const lockKeysStatement = statement<never>('lock-keys', 'LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE');
const anyAdminStatement = statement<{ any: boolean }>(
  'any-admin-key',
  `SELECT EXISTS (SELECT FROM api_keys WHERE 'admin' = ANY (scopes)) AS any`,
);

/** Creates an admin key if there has never been one. A revoked or lost key is not replaced unasked. */
export function makeFirstKey(pool: pg.Pool): Promise<CreatedKey | null> {
  return inTransaction(pool, async (db) => {
    await run(db, lockKeysStatement);
    if (await hasAdminKey(db)) return null;
    return createKey(db, { name: 'first admin key', user_id: 'local', scopes: ['admin'] });
  });
}

export async function hasAdminKey(db: Queryable): Promise<boolean> {
  const [found] = await run(db, anyAdminStatement);
  return found?.any ?? false;
}

const listKeysStatement = statement<ApiKey>(
  'list-keys',
  `SELECT ${keyColumns} FROM api_keys WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
);

/** Newest first, after the key `after`; includes revoked and expired keys. */
export function listKeys(db: Queryable, limit = 1000, after?: string): Promise<ApiKey[]> {
  return run(db, listKeysStatement, [after, limit]);
}

const revokeKeyStatement = statement<ApiKey>(
  'revoke-key',
  `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING ${keyColumns}`,
);

/** Revokes a key for good. Revoking it again changes nothing. */
export async function revokeKey(db: Queryable, id: string): Promise<ApiKey> {
  const [key] = isId(id) ? await run(db, revokeKeyStatement, [id]) : [];
  if (!key) throw notFound('key_not_found', id);
  return key;
}

const secretBytes = 32;
const shownCharacters = 11;
const form = /^hf_[A-Za-z0-9_-]{43}$/;

interface NewSecret {
  readonly secret: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

function makeSecret(): NewSecret {
  const secret = `hf_${randomBytes(secretBytes).toString('base64url')}`;
  return { secret, prefix: secret.slice(0, shownCharacters), hash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function looksLikeSecret(text: string): boolean {
  return form.test(text);
}
