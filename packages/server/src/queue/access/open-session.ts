import { randomBytes } from 'node:crypto';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hashToken } from './hash-token.ts';

export interface NewSession {
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

/** Signs in with a key: the session ends after so many hours, or with the key if that comes first. */
export async function openSession(db: Queryable, keyId: string, hours: number): Promise<NewSession> {
  const token = randomBytes(32).toString('base64url');
  const [session] = await run(db, openStatement, [hashToken(token), keyId, hours]);
  return { token, expires_at: session?.expires_at ?? new Date() };
}
