import type { ApiKey } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/not-found.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { keyColumns } from './key-columns.ts';

const revokeKeyStatement = statement<ApiKey>(
  'revoke-key',
  `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING ${keyColumns}`,
);

/** Ends a key for good; one that is revoked already stays as it is. */
export async function revokeKey(db: Queryable, id: string): Promise<ApiKey> {
  const [key] = isId(id) ? await run(db, revokeKeyStatement, [id]) : [];
  if (!key) throw notFound('key_not_found', id);
  return key;
}
