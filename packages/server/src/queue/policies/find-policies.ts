import { type Policy, type PolicyFilter, policyFilter } from '@holdfast/contract';
import type { z } from 'zod';
import { checked } from '../../base/checked.ts';
import { boundedSearch, containsText, type SearchPage } from '../../base/database/bounded-search.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { policyColumns } from './find-policy.ts';

/** A part of the policies, newest first; with an owner, only theirs. */
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

/** `indexed`: an index leads to their rows and no others. `others`: rows must be read to know. */
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
