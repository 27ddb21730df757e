import { type ApiKey, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hashToken } from './hash-token.ts';
import { keyColumns } from './key-columns.ts';

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

export interface FoundSession {
  readonly key: ApiKey;
  readonly expires_at: Date;
}

/** The session of a cookie, with the key it acts for. */
export async function findSession(db: Queryable, token: string): Promise<FoundSession> {
  const [found] = await run(db, findStatement, [hashToken(token)]);
  if (!found) throw new HoldfastError('session_ended');
  const { session_expires_at, ...key } = found;
  return { key, expires_at: session_expires_at };
}
