import { randomBytes } from 'node:crypto';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hashToken } from './hash-token.ts';

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

/** The token of a link that signs an admin in, once and within an hour; null when there is no admin key. */
export async function makeLoginLink(db: Queryable): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const [made] = await run(db, makeStatement, [hashToken(token)]);
  return made ? token : null;
}

/** The key that the link signs in with; from now on the link is worth nothing. */
export async function useLoginLink(db: Queryable, token: string): Promise<string> {
  const [used] = await run(db, useStatement, [hashToken(token)]);
  if (!used) throw new HoldfastError('link_used');
  return used.key_id;
}
