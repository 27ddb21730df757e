import { HoldfastError, type Policy } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { findPolicy, liveJobOf, policyColumns } from './find-policy.ts';

/** One that is due already keeps its due time: two would be one too many. */
const runPolicyNowStatement = statement<Policy>(
  'run-policy-now',
  `
UPDATE crawl_policies policy SET next_run_at = least(next_run_at, now())
WHERE id = $1 AND enabled AND ${liveJobOf('policy')} IS NULL
RETURNING ${policyColumns('policy')}`,
);

/**
 * Makes a policy due at once; the next turn of a scheduler makes its job. While it has a live job nothing changes: the
 * answer names that job, which does the work already.
 */
export async function runPolicyNow(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const { enabled } = await findPolicy(db, id, owner);
  if (!enabled) throw new HoldfastError('policy_disabled', id);
  const [policy] = await run(db, runPolicyNowStatement, [id]);
  return policy ?? (await findPolicy(db, id, owner));
}
