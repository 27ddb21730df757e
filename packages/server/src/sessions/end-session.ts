import { type Queryable, run, statement } from '../database/statement.ts';
import { hashToken } from './hash-token.ts';

/** Sessions and links that ran out go with it: there are few, and nobody asks for them again. */
const endStatement = statement<never>(
  'end-session',
  `
WITH stale_links AS (DELETE FROM login_links WHERE expires_at <= now())
DELETE FROM sessions WHERE token_hash = $1 OR expires_at <= now()`,
);

export async function endSession(db: Queryable, token: string): Promise<void> {
  await run(db, endStatement, [hashToken(token)]);
}
