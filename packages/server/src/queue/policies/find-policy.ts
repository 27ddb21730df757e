import type { Policy } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/**
 * The job of a policy that still has work ahead, if there is one. Not EXISTS or a join: PostgreSQL would turn them into
 * a hash over all jobs when its statistics are old.
 */
export const liveJobOf = (policy: string) => `(
    SELECT job.id FROM crawl_jobs job
    WHERE job.user_id = ${policy}.user_id AND job.dedupe_key = 'policy:' || ${policy}.id
      AND job.status IN ('pending', 'processing', 'retryable', 'paused') LIMIT 1)`;

/** The columns of a Policy, to be read from the named table. */
export const policyColumns = (policy: string) => `
  ${policy}.id, ${policy}.user_id, ${policy}.kind, ${policy}.url, ${policy}.executor, ${policy}.options,
  ${policy}.frequency_hours::float8 AS frequency_hours, ${policy}.priority, ${policy}.lock_ttl_seconds,
  ${policy}.max_retries, ${policy}.retry_backoff_minutes, ${policy}.timeout_minutes, ${policy}.enabled,
  ${policy}.next_run_at, ${policy}.last_success_at, ${policy}.last_failed_at, ${policy}.failure_count,
  ${liveJobOf(policy)} AS live_job_id, ${policy}.created_at, ${policy}.updated_at`;

const findPolicyStatement = statement<Policy>(
  'find-policy',
  `
SELECT ${policyColumns('policy')} FROM crawl_policies policy
WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)`,
);

/** With an owner, others' policies are not there. */
export async function findPolicy(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const [policy] = isId(id) ? await run(db, findPolicyStatement, [id, owner]) : [];
  if (!policy) throw notFound('policy_not_found', id);
  return policy;
}
