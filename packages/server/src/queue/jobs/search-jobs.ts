import type { Job, JobKind, JobSearch, JobStatus } from '@holdfast/contract';
import { boundedSearch, containsText, type SearchPage } from '../../base/database/bounded-search.ts';
import { idAt } from '../../base/database/ids.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

export interface SearchOptions {
  readonly filter: JobSearch;
  /** Only jobs of this owner. */
  readonly owner?: string | undefined;
  /** Cursor: id of the last job on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Statuses of few jobs, each with a partial index. */
const setAside: readonly JobStatus[] = ['retryable', 'paused', 'failed', 'cancelled', 'expired'];
/** The expression of the index crawl_jobs_of_rare_kind. */
const rareKind = `CASE job.kind WHEN 'crawl' THEN 1 WHEN 'collect' THEN 2 END`;
const rareKinds: Readonly<Partial<Record<JobKind, number>>> = { crawl: 1, collect: 2 };
/** A job's id and its created_at come from clock readings moments apart. */
const clockSlackMs = 60_000;

/** Matching jobs, newest first. */
export function searchJobs(db: Queryable, options: SearchOptions): Promise<SearchPage<Job>> {
  return search<Job>(db, jobColumns('job'), options);
}

export async function searchJobIds(db: Queryable, options: SearchOptions): Promise<SearchPage<string>> {
  const { rows, next } = await search<{ id: string }>(db, 'job.id', options);
  return { rows: rows.map(({ id }) => id), next };
}

/*
 * The text depends on the filter and contains statuses and limits literally: prepared plans are made without values
 * (session-settings.ts) and could use neither a partial index nor a LIMIT.
 */
async function search<Row extends { id: string }>(
  db: Queryable,
  columns: string,
  { filter, owner, after, limit }: SearchOptions,
): Promise<SearchPage<Row>> {
  const values: unknown[] = [];
  const bind = (value: unknown, type = 'text') => `$${values.push(value)}::${type}`;
  const { indexed, others } = conditions(filter, owner, bind);
  if (after) indexed.push(`job.id < ${bind(after, 'uuid')}`);
  return await boundedSearch<Row>(db, {
    alias: 'job',
    candidates: (wanted, count) => candidates(filter, indexed, wanted, count),
    conditions: others,
    columns,
    limit,
    // These rows are looked up one by one, not read in sequence.
    cost: filter.status && areSetAside(filter.status) ? 5 : 1,
    values,
  });
}

/**
 * Rare statuses: reads the keys from each status's own index. The planner alone would search for them among the newest jobs and
 * walk past all the others.
 */
function candidates(
  { status }: JobSearch,
  conditions: readonly string[],
  columns: '*' | 'id',
  count: number,
): string {
  const newest = (wanted: '*' | 'id', also: readonly string[]) => {
    const all = [...also, ...conditions];
    const where = all.length > 0 ? `WHERE ${all.join(' AND ')}` : '';
    return `SELECT ${wanted} FROM crawl_jobs job ${where} ORDER BY id DESC LIMIT ${count}`;
  };
  if (!status || !areSetAside(status)) return newest(columns, []);
  const keys = [...new Set(status)].map((one) => `(${newest('id', [`job.status = '${one}'`])})`);
  const merged = `SELECT id FROM (${keys.join(' UNION ALL ')}) key ORDER BY id DESC LIMIT ${count}`;
  if (columns === 'id') return merged;
  return `SELECT * FROM crawl_jobs job WHERE job.id = ANY (ARRAY(${merged})) ORDER BY id DESC`;
}

/** `indexed`: conditions that an index answers alone. `others`: conditions that need the row. */
function conditions(
  filter: JobSearch,
  owner: string | undefined,
  bind: (value: unknown, type?: string) => string,
): { indexed: string[]; others: string[] } {
  const indexed: string[] = [];
  const others: string[] = [];
  const owners = [owner, filter.user_id].filter((name) => name !== undefined);
  for (const name of owners) {
    if (name === 'local') others.push(`job.user_id = ${bind(name)}`);
    else indexed.push(`job.user_id = ${bind(name)} AND job.user_id <> 'local'`);
  }
  if (filter.status && !areSetAside(filter.status))
    others.push(`job.status IN (${filter.status.map((status) => `'${status}'`).join(', ')})`);
  if (filter.policy_id) indexed.push(`job.policy_id = ${bind(filter.policy_id, 'uuid')}`);
  if (filter.created_after) {
    indexed.push(`job.id >= ${bind(idAt(filter.created_after, -clockSlackMs), 'uuid')}`);
    others.push(`job.created_at >= ${bind(filter.created_after, 'timestamptz')}`);
  }
  if (filter.created_before) {
    indexed.push(`job.id < ${bind(idAt(filter.created_before, clockSlackMs), 'uuid')}`);
    others.push(`job.created_at < ${bind(filter.created_before, 'timestamptz')}`);
  }
  if (filter.locked_after) others.push(`job.started_at >= ${bind(filter.locked_after, 'timestamptz')}`);
  if (filter.locked_before) others.push(`job.started_at < ${bind(filter.locked_before, 'timestamptz')}`);
  const rare = filter.kind && rareKinds[filter.kind];
  // Only if no other index applies: none covers both, and the other one may have many rows.
  if (rare && indexed.length === 0 && !(filter.status && areSetAside(filter.status)))
    indexed.push(`(${rareKind}) = ${rare}`);
  else if (filter.kind) others.push(`job.kind = '${filter.kind}'`);
  if (filter.executor) others.push(`job.executor = '${filter.executor}'`);
  if (filter.priority_min !== undefined)
    others.push(`job.priority >= ${bind(filter.priority_min, 'integer')}`);
  if (filter.priority_max !== undefined)
    others.push(`job.priority <= ${bind(filter.priority_max, 'integer')}`);
  if (filter.source_id) others.push(`job.source_id = ${bind(filter.source_id)}`);
  if (filter.intake_id) {
    indexed.push(`job.kind = 'collect' AND job.intake_id = ${bind(filter.intake_id, 'uuid')}`);
  }
  if (filter.worker_id) others.push(`job.worker_id = ${bind(filter.worker_id)}`);
  if (filter.locked !== undefined) others.push(`(job.status = 'processing') = ${filter.locked}`);
  if (filter.search) others.push(containsText(`job.payload ->> 'url'`, bind(filter.search)));
  if (filter.url_prefix) others.push(`starts_with(job.payload ->> 'url', ${bind(filter.url_prefix)})`);
  return { indexed, others };
}

function areSetAside(statuses: readonly JobStatus[]): boolean {
  return statuses.every((status) => setAside.includes(status));
}
