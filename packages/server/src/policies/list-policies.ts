import { type Policy, type PolicyFilter, policyFilter } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { checked } from './check-policy.ts';
import { policyColumns } from './find-policy.ts';

/** Newest first; ids grow with time, so the primary key gives the order and the page. */
const listPoliciesStatement = statement<Policy>(
  'list-policies',
  `
SELECT ${policyColumns('policy')} FROM crawl_policies policy
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::boolean IS NULL OR enabled = $2)
  AND ($3::job_kind IS NULL OR kind = $3) AND ($4::job_executor IS NULL OR executor = $4)
  AND ($5::smallint IS NULL OR priority = $5)
  AND ($6::timestamptz IS NULL OR created_at >= $6) AND ($7::timestamptz IS NULL OR created_at < $7)
  AND ($8::timestamptz IS NULL OR next_run_at >= $8) AND ($9::timestamptz IS NULL OR next_run_at < $9)
  AND ($10::text IS NULL OR position(lower($10) IN lower(url)) > 0)
  AND ($11::uuid IS NULL OR id < $11)
ORDER BY id DESC LIMIT $12`,
);

/** One page of policies; with an owner, only theirs. */
export async function listPolicies(
  db: Queryable,
  filter: PolicyFilter = {},
  owner?: string,
): Promise<Policy[]> {
  const page = checked(policyFilter, filter);
  return run(db, listPoliciesStatement, [
    owner,
    page.enabled,
    page.kind,
    page.executor,
    page.priority,
    page.created_after,
    page.created_before,
    page.next_run_after,
    page.next_run_before,
    page.search,
    page.after,
    page.limit,
  ]);
}
