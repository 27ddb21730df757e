import type { Policy } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { policyColumns } from './find-policy.ts';

const deletePolicyStatement = statement<Policy>(
  'delete-policy',
  `
DELETE FROM crawl_policies policy WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${policyColumns('policy')}`,
);

/** Deletes a policy and answers with what it was. Its jobs and results stay; a live job runs to its end. */
export async function deletePolicy(db: Queryable, id: string, owner?: string): Promise<Policy> {
  const [policy] = isId(id) ? await run(db, deletePolicyStatement, [id, owner]) : [];
  if (!policy) throw notFound('policy_not_found', id);
  return policy;
}
