import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type ApiKey, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { keyColumns } from './keys.ts';

interface NewSession {
  /** For the cookie; only its hash is stored. */
  readonly token: string;
  readonly expires_at: Date;
}

const openStatement = statement<{ expires_at: Date }>(
  'open-session',
  `
INSERT INTO sessions (token_hash, key_id, expires_at)
SELECT $1, id, least(now() + make_interval(hours => $3), expires_at) FROM api_keys WHERE id = $2
RETURNING expires_at`,
);

/** Signs in with a key. The session ends after `hours`, or with the key if that comes first. */
export async function openSession(db: Queryable, keyId: string, hours: number): Promise<NewSession> {
  const token = randomBytes(32).toString('base64url');
  const [session] = await run(db, openStatement, [hashToken(token), keyId, hours]);
  return { token, expires_at: session?.expires_at ?? new Date() };
}

interface FoundSession {
  readonly key: ApiKey;
  readonly expires_at: Date;
}

const findStatement = statement<ApiKey & { session_expires_at: Date }>(
  'find-session',
  `
SELECT key.*, session.expires_at AS session_expires_at FROM sessions session
JOIN LATERAL (
  SELECT ${keyColumns} FROM api_keys
  WHERE id = session.key_id AND revoked_at IS NULL AND (expires_at > now()) IS NOT FALSE
) key ON true
WHERE session.token_hash = $1 AND session.expires_at > now()`,
);

/** The session of a cookie, with the key it acts for. */
export async function findSession(db: Queryable, token: string): Promise<FoundSession> {
  const [found] = await run(db, findStatement, [hashToken(token)]);
  if (!found) throw new HoldfastError('session_ended');
  const { session_expires_at, ...key } = found;
  return { key, expires_at: session_expires_at };
}

const endStatement = statement<never>('end-session', 'DELETE FROM sessions WHERE token_hash = $1');

export async function endSession(db: Queryable, token: string): Promise<void> {
  await run(db, endStatement, [hashToken(token)]);
}

const pruneStatement = statement<never>(
  'prune-sessions',
  `
WITH stale_links AS (DELETE FROM login_links WHERE expires_at <= now())
DELETE FROM sessions WHERE expires_at <= now()`,
);

/** Deletes expired sessions and login links. */
export async function pruneSessions(db: Queryable): Promise<void> {
  await run(db, pruneStatement);
}

const makeStatement = statement<{ key_id: string }>(
  'make-login-link',
  `
INSERT INTO login_links (token_hash, key_id, expires_at)
SELECT $1, id, now() + interval '1 hour' FROM api_keys
WHERE 'admin' = ANY (scopes) AND revoked_at IS NULL AND (expires_at > now()) IS NOT FALSE
ORDER BY id LIMIT 1
RETURNING key_id`,
);

const useStatement = statement<{ key_id: string }>(
  'use-login-link',
  'DELETE FROM login_links WHERE token_hash = $1 AND expires_at > now() RETURNING key_id',
);

/** A token that signs an admin in once, within an hour; null when there is no admin key. */
export async function makeLoginLink(db: Queryable): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const [made] = await run(db, makeStatement, [hashToken(token)]);
  return made ? token : null;
}

/** The key that the link signs in with. Uses the link up. */
export async function useLoginLink(db: Queryable, token: string): Promise<string> {
  const [used] = await run(db, useStatement, [hashToken(token)]);
  if (!used) throw new HoldfastError('link_used');
  return used.key_id;
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Sent by the console with every write. Derived from the cookie, which no other site can read. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}
