import { type Queryable, run, statement } from '../../base/database/statement.ts';

const findValidStatement = statement<{ id: string }>(
  'find-valid-keys',
  `SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL AND (expires_at <= now()) IS NOT TRUE`,
);

/** Which of these keys may still be used: for answers that last longer than a key may. */
export async function findValidKeys(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await run(db, findValidStatement, [ids])).map(({ id }) => id));
}
