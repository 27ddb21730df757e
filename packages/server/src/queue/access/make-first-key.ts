import type { CreatedKey } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../../base/database/in-transaction.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { createKey } from './keys.ts';

/** Two processes that start at once make one key: the second waits here, and then finds it. */
const lockKeysStatement = statement<never>('lock-keys', 'LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE');
const anyAdminStatement = statement<{ any: boolean }>(
  'any-admin-key',
  `SELECT EXISTS (SELECT FROM api_keys WHERE 'admin' = ANY (scopes)) AS any`,
);

/** Makes an admin key if there never was one: a key that was revoked or lost is not replaced without being asked. */
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
