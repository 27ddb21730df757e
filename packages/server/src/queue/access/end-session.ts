import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hashToken } from './hash-token.ts';

const endStatement = statement<never>('end-session', 'DELETE FROM sessions WHERE token_hash = $1');

const pruneStatement = statement<never>(
  'prune-sessions',
  `
WITH stale_links AS (DELETE FROM login_links WHERE expires_at <= now())
DELETE FROM sessions WHERE expires_at <= now()`,
);

export async function endSession(db: Queryable, token: string): Promise<void> {
  await run(db, endStatement, [hashToken(token)]);
}

/** Sessions and links that ran out: nobody asks for them again. */
export async function pruneSessions(db: Queryable): Promise<void> {
  await run(db, pruneStatement);
}
