import {
  HoldfastError,
  type Policy,
  type PolicyChange,
  type PolicyRequest,
  policyChange,
} from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkPatterns } from '../../web/urls/check-patterns.ts';
import { checkPolicy } from './check-policy.ts';
import { findTwin, policyExists } from './create-policy.ts';
import { findPolicy, policyColumns } from './find-policy.ts';

/** The next run of a policy whose frequency changes: a shorter one counts from now on, a longer one from the next run on. */
export const nextRunAfterChange = (frequency: string, nextRun: string) => `
    CASE WHEN ${nextRun} IS NOT NULL THEN ${nextRun}
      WHEN ${frequency} < policy.frequency_hours
        THEN least(policy.next_run_at, now() + make_interval(secs => (${frequency} * 3600)::float8))
      ELSE policy.next_run_at END`;

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

/** Changes the named fields. Jobs that were made already stay as they are. */
export async function updatePolicy(
  db: Queryable,
  id: string,
  change: PolicyChange,
  owner?: string,
): Promise<Policy> {
  const fields = checked(policyChange, change);
  checkPatterns(fields.options ?? {}, 'options');
  const policy = await findPolicy(db, id, owner);
  // Options are good or bad for a kind and an executor, so the whole is judged.
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
  if (isMoved && (await findTwin(db, whole)) !== undefined) throw await policyExists(db, whole);
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
    // Somebody was faster. Nothing more can be asked in a transaction that this broke.
    if (isMoved && (error as { code?: string }).code === '23505')
      throw new HoldfastError('policy_exists', `${kind} of ${whole.url}`);
    throw error;
  }
  throw notFound('policy_not_found', id);
}
