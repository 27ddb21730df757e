import { HoldfastError, type Policy, type PolicyRequest, policyRequest } from '@holdfast/contract';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { canonicalUrl, maxUrlLength } from '../../web/urls/canonical-url.ts';
import { checkPatterns } from '../../web/urls/check-patterns.ts';
import { policyColumns } from './find-policies.ts';

type CheckedPolicy = z.output<typeof policyRequest>;

/** Validates a request and normalizes its URL. */
export function checkPolicy(request: PolicyRequest): CheckedPolicy {
  const policy = checked(policyRequest, request);
  checkPatterns(policy.options ?? {}, 'options');
  return { ...policy, url: plainUrl(policy.url) };
}

/** `https://Example.com` and `https://example.com/` are one policy; URLs that a server could tell apart stay distinct. */
function plainUrl(text: string): string {
  const { href } = new URL(text);
  if (canonicalUrl(href) === null || href.length > maxUrlLength) throw new HoldfastError('url_invalid', text);
  return href;
}

/** SQL: inserts a policy from the request in $1. */
const insertPolicy = `
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

/** Creates a policy. It is due at once unless the request says when. */
export async function createPolicy(db: Queryable, request: PolicyRequest): Promise<Policy> {
  const policy = checkPolicy(request);
  const [created] = await run(db, createPolicyStatement, [JSON.stringify(policy)]);
  if (created) return created;
  throw await policyExists(db, policy);
}

const findTwinStatement = statement<{ id: string }>(
  'find-policy-twin',
  'SELECT id FROM crawl_policies WHERE user_id = $1 AND kind = $2 AND url = $3',
);

type PolicyKey = Pick<Policy, 'user_id' | 'kind' | 'url'>;

export async function findDuplicate(
  db: Queryable,
  { user_id, kind, url }: PolicyKey,
): Promise<string | undefined> {
  const [twin] = await run(db, findTwinStatement, [user_id, kind, url]);
  return twin?.id;
}

export async function policyExists(db: Queryable, key: PolicyKey): Promise<HoldfastError> {
  const twin = await findDuplicate(db, key);
  return new HoldfastError('policy_exists', `${key.kind} of ${key.url}${twin ? ` is policy ${twin}` : ''}`);
}

/** SQL: the next run when the frequency changes. A shorter interval counts from now, a longer one from the next run. */
export const nextRunAfterChange = (frequency: string, nextRun: string) => `
    CASE WHEN ${nextRun} IS NOT NULL THEN ${nextRun}
      WHEN ${frequency} < policy.frequency_hours
        THEN least(policy.next_run_at, now() + make_interval(secs => (${frequency} * 3600)::float8))
      ELSE policy.next_run_at END`;

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

/** Creates the policy of this owner, kind and URL, or replaces it. */
export async function upsertPolicy(
  db: Queryable,
  request: PolicyRequest,
): Promise<{ policy: Policy; created: boolean }> {
  const [row] = await run(db, upsertPolicyStatement, [JSON.stringify(checkPolicy(request))]);
  if (!row) throw new Error('an upsert answers with its row');
  const { created, ...policy } = row;
  return { policy, created };
}
