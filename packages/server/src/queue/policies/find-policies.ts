import { type Policy, type PolicyFilter, policyFilter } from '@holdfast/contract';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { boundedSearch, containsText, type SearchPage } from '../../base/database/bounded-search.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** SQL: the live job of a policy. A subquery with LIMIT, because stale statistics turn EXISTS or a join into a hash of all jobs. */
export const liveJobOf = (policy: string) => `(
    SELECT job.id FROM crawl_jobs job
    WHERE job.user_id = ${policy}.user_id AND job.dedupe_key = 'policy:' || ${policy}.id
      AND job.status IN ('pending', 'processing', 'retryable', 'paused') LIMIT 1)`;

/** The columns of a Policy, read from the named table. */
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

/** With an owner, finds only theirs. */
export async function findPolicy(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const [policy] = isId(id) ? await run(db, findPolicyStatement, [id, owner]) : [];
  if (!policy) throw notFound('policy_not_found', id);
  return policy;
}

/** A page of policies, newest first; with an owner, only theirs. */
export async function listPolicies(
  db: Queryable,
  filter: PolicyFilter = {},
  owner?: string,
): Promise<SearchPage<Policy>> {
  const wanted = checked(policyFilter, filter);
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const { indexed, others } = conditions(wanted, owner, bind);
  const where = indexed.length > 0 ? `WHERE ${indexed.join(' AND ')}` : '';
  return await boundedSearch<Policy>(db, {
    alias: 'policy',
    candidates: (columns, count) =>
      `SELECT ${columns} FROM crawl_policies policy ${where} ORDER BY id DESC LIMIT ${count}`,
    conditions: others,
    columns: policyColumns('policy'),
    limit: wanted.limit,
    values,
  });
}

/** `indexed`: conditions that an index answers alone. `others`: conditions that need the row. */
function conditions(
  filter: z.output<typeof policyFilter>,
  owner: string | undefined,
  bind: (value: unknown, type: string) => string,
): { indexed: string[]; others: string[] } {
  const indexed: string[] = [];
  const others: string[] = [];
  if (owner === 'local') others.push(`policy.user_id = ${bind(owner, 'text')}`);
  else if (owner !== undefined)
    indexed.push(`policy.user_id = ${bind(owner, 'text')} AND policy.user_id <> 'local'`);
  if (filter.after !== undefined) indexed.push(`policy.id < ${bind(filter.after, 'uuid')}`);
  const compared = [
    ['policy.enabled =', filter.enabled, 'boolean'],
    ['policy.kind =', filter.kind, 'job_kind'],
    ['policy.executor =', filter.executor, 'job_executor'],
    ['policy.priority =', filter.priority, 'smallint'],
    ['policy.created_at >=', filter.created_after, 'timestamptz'],
    ['policy.created_at <', filter.created_before, 'timestamptz'],
    ['policy.next_run_at >=', filter.next_run_after, 'timestamptz'],
    ['policy.next_run_at <', filter.next_run_before, 'timestamptz'],
  ] as const;
  for (const [comparison, value, type] of compared)
    if (value !== undefined) others.push(`${comparison} ${bind(value, type)}`);
  if (filter.search !== undefined) others.push(containsText('policy.url', bind(filter.search, 'text')));
  return { indexed, others };
}
