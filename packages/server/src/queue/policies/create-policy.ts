import { HoldfastError, type Policy, type PolicyRequest } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkPolicy } from './check-policy.ts';
import { policyColumns } from './find-policy.ts';

/** The columns that a request fills, and their values, of the one parameter $1. */
export const insertPolicy = `
  INSERT INTO crawl_policies AS policy (user_id, kind, url, executor, options, frequency_hours, priority,
    lock_ttl_seconds, max_retries, retry_backoff_minutes, timeout_minutes, enabled, next_run_at)
  SELECT user_id, kind, url, executor, options, frequency_hours, priority, lock_ttl_seconds, max_retries,
    retry_backoff_minutes, timeout_minutes, enabled, coalesce(next_run_at, now())
  FROM jsonb_to_record($1::jsonb) AS request (
    user_id text, kind job_kind, url text, executor job_executor, options jsonb, frequency_hours numeric,
    priority smallint, lock_ttl_seconds integer, max_retries smallint, retry_backoff_minutes integer,
    timeout_minutes integer, enabled boolean, next_run_at timestamptz)`;

const createPolicyStatement = statement<Policy>(
  'create-policy',
  `${insertPolicy}
  ON CONFLICT (user_id, kind, url) DO NOTHING
  RETURNING ${policyColumns('policy')}`,
);

const findTwinStatement = statement<{ id: string }>(
  'find-policy-twin',
  'SELECT id FROM crawl_policies WHERE user_id = $1 AND kind = $2 AND url = $3',
);

/** Creates a policy; it is due at once, unless it says when. */
export async function createPolicy(db: Queryable, request: PolicyRequest): Promise<Policy> {
  const policy = checkPolicy(request);
  const [created] = await run(db, createPolicyStatement, [JSON.stringify(policy)]);
  if (created) return created;
  throw await policyExists(db, policy);
}

type PolicyKey = Pick<Policy, 'user_id' | 'kind' | 'url'>;

export async function findTwin(
  db: Queryable,
  { user_id, kind, url }: PolicyKey,
): Promise<string | undefined> {
  const [twin] = await run(db, findTwinStatement, [user_id, kind, url]);
  return twin?.id;
}

export async function policyExists(db: Queryable, key: PolicyKey): Promise<HoldfastError> {
  const twin = await findTwin(db, key);
  return new HoldfastError('policy_exists', `${key.kind} of ${key.url}${twin ? ` is policy ${twin}` : ''}`);
}
