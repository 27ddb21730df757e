import type { ApiKey } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { keyColumns } from './key-columns.ts';

const listKeysStatement = statement<ApiKey>(
  'list-keys',
  `SELECT ${keyColumns} FROM api_keys WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT $2`,
);

/** The newest first, from behind key `after` on; revoked and expired ones too. */
export function listKeys(db: Queryable, limit = 1000, after?: string): Promise<ApiKey[]> {
  return run(db, listKeysStatement, [after, limit]);
}
