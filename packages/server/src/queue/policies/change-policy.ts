import {
  HoldfastError,
  type Policy,
  type PolicyChange,
  type PolicyRequest,
  policyChange,
} from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkPatterns } from '../../web/urls/check-patterns.ts';
import { checkPolicy, findDuplicate, nextRunAfterChange, policyExists } from './create-policy.ts';
import { findPolicy, liveJobOf, policyColumns } from './find-policies.ts';

const updatePolicyStatement = statement<Policy>(
  'update-policy',
  `
UPDATE crawl_policies policy SET
  url = coalesce($3, url), executor = coalesce($4, executor),
  frequency_hours = coalesce($5, frequency_hours), priority = coalesce($6, priority),
  lock_ttl_seconds = coalesce($7, lock_ttl_seconds), max_retries = coalesce($8, max_retries),
  retry_backoff_minutes = coalesce($9, retry_backoff_minutes),
  timeout_minutes = CASE WHEN $10 THEN $11 ELSE timeout_minutes END,
  enabled = coalesce($12, enabled), options = coalesce($13, options),
  next_run_at = ${nextRunAfterChange('$5::numeric', '$14::timestamptz')},
  updated_at = now()
WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${policyColumns('policy')}`,
);

/** Changes the named fields. Existing jobs stay as they are. */
export async function updatePolicy(
  db: Queryable,
  id: string,
  change: PolicyChange,
  owner?: string,
): Promise<Policy> {
  const fields = checked(policyChange, change);
  checkPatterns(fields.options ?? {}, 'options');
  const policy = await findPolicy(db, id, owner);
  // Whether options are valid depends on kind and executor, so the whole policy is checked.
  const { kind, user_id, url, executor, options, timeout_minutes } = policy;
  const whole = checkPolicy({
    kind,
    user_id,
    url,
    executor,
    options,
    timeout_minutes,
    ...fields,
  } as PolicyRequest);
  const isMoved = fields.url !== undefined && whole.url !== url;
  if (isMoved && (await findDuplicate(db, whole)) !== undefined) throw await policyExists(db, whole);
  try {
    const [updated] = await run(db, updatePolicyStatement, [
      id,
      owner,
      isMoved ? whole.url : null,
      fields.executor,
      fields.frequency_hours,
      fields.priority,
      fields.lock_ttl_seconds,
      fields.max_retries,
      fields.retry_backoff_minutes,
      fields.timeout_minutes !== undefined,
      fields.timeout_minutes,
      fields.enabled,
      fields.options && JSON.stringify(fields.options),
      fields.next_run_at,
    ]);
    if (updated) return updated;
  } catch (error) {
    // A concurrent change took the URL. The transaction is aborted, so the twin's id cannot be read.
    if (isMoved && (error as { code?: string }).code === '23505')
      throw new HoldfastError('policy_exists', `${kind} of ${whole.url}`);
    throw error;
  }
  throw notFound('policy_not_found', id);
}

/** A policy that is already due keeps its due time, or it would get two jobs. */
const runPolicyNowStatement = statement<Policy>(
  'run-policy-now',
  `
UPDATE crawl_policies policy SET next_run_at = least(next_run_at, now())
WHERE id = $1 AND enabled AND ${liveJobOf('policy')} IS NULL
RETURNING ${policyColumns('policy')}`,
);

/** Makes a policy due now; the scheduler's next turn creates its job. With a live job, nothing changes and the answer names that job. */
export async function runPolicyNow(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const { enabled } = await findPolicy(db, id, owner);
  if (!enabled) throw new HoldfastError('policy_disabled', id);
  const [policy] = await run(db, runPolicyNowStatement, [id]);
  return policy ?? (await findPolicy(db, id, owner));
}

const deletePolicyStatement = statement<Policy>(
  'delete-policy',
  `
DELETE FROM crawl_policies policy WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${policyColumns('policy')}`,
);

/** Deletes a policy and returns it. Its jobs and results stay; a live job runs to its end. */
export async function deletePolicy(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const [policy] = isId(id) ? await run(db, deletePolicyStatement, [id, owner]) : [];
  if (!policy) throw notFound('policy_not_found', id);
  return policy;
}
