import type { Policy, PolicyRequest } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { nextRunAfterChange } from './change-policy.ts';
import { checkPolicy } from './check-policy.ts';
import { insertPolicy } from './create-policy.ts';
import { policyColumns } from './find-policy.ts';

const upsertPolicyStatement = statement<Policy & { created: boolean }>(
  'upsert-policy',
  `${insertPolicy}
  ON CONFLICT (user_id, kind, url) DO UPDATE SET
    executor = excluded.executor, options = excluded.options, frequency_hours = excluded.frequency_hours,
    priority = excluded.priority, lock_ttl_seconds = excluded.lock_ttl_seconds, max_retries = excluded.max_retries,
    retry_backoff_minutes = excluded.retry_backoff_minutes, timeout_minutes = excluded.timeout_minutes,
    enabled = excluded.enabled,
    next_run_at = ${nextRunAfterChange('excluded.frequency_hours', "($1::jsonb ->> 'next_run_at')::timestamptz")},
    updated_at = now()
  RETURNING ${policyColumns('policy')}, xmax = 0 AS created`,
);

/** The policy of this owner, kind and url becomes what the request says, whether it was there or not. */
export async function upsertPolicy(
  db: Queryable,
  request: PolicyRequest,
): Promise<{ policy: Policy; created: boolean }> {
  const [row] = await run(db, upsertPolicyStatement, [JSON.stringify(checkPolicy(request))]);
  if (!row) throw new Error('an upsert answers with its row');
  const { created, ...policy } = row;
  return { policy, created };
}
