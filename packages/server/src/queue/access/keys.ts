import {
  type ApiKey,
  type CreatedKey,
  describeIssues,
  HoldfastError,
  type KeyRequest,
  keyRequest,
} from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { keyColumns } from './key-columns.ts';
import { makeSecret } from './key-secret.ts';

const createKeyStatement = statement<ApiKey>(
  'create-key',
  `
INSERT INTO api_keys (secret_hash, prefix, name, user_id, scopes, bot_id, expires_at, max_live_jobs, max_jobs_per_day,
  max_requests_per_minute)
VALUES ($1, $2, $3, $4, $5::text[]::key_scope[], $6, $7, $8, $9, $10)
RETURNING ${keyColumns}`,
);

/** Makes a key. Its secret is in the answer and nowhere else. */
export async function createKey(db: Queryable, request: KeyRequest): Promise<CreatedKey> {
  const checked = keyRequest.safeParse(request);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  const { name, user_id, scopes, bot_id, expires_at, ...quotas } = checked.data;
  // Not by the schema: whether it has passed is for whoever makes the key to say, at that moment.
  if (expires_at !== undefined && Date.parse(expires_at) <= Date.now()) throw alreadyExpired();
  const { secret, prefix, hash } = makeSecret();
  const { max_live_jobs, max_jobs_per_day, max_requests_per_minute } = quotas;
  const [key] = await run(db, createKeyStatement, [
    hash,
    prefix,
    name,
    user_id,
    [...new Set(scopes)],
    bot_id,
    expires_at,
    max_live_jobs,
    max_jobs_per_day,
    max_requests_per_minute,
  ]);
  if (!key) throw new HoldfastError('internal_error', 'the key was not made');
  return { ...key, secret };
}

function alreadyExpired(): HoldfastError {
  const problem = { field: 'expires_at', message: 'must be in the future' };
  return new HoldfastError('bad_request', `${problem.field} ${problem.message}`, { details: [problem] });
}
