import {
  isLive,
  type JobKind,
  type JobStatus,
  jobKinds,
  jobStatuses,
  type Precision,
  type Stats,
} from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

export interface JobCounts {
  readonly jobs: Stats['jobs'];
  readonly retries: Stats['retries'];
}

export interface CountedJobs {
  readonly status: JobStatus;
  readonly kind: JobKind;
  readonly retry_count: number;
  readonly count: number;
}

/** Nobody can tell 10,000 from 20,000 on a screen. */
const countLimit = 10_000;
/** Of each branch of live jobs, for how often they were retried: rows that have to be read. */
const retryLimit = 2_000;
/** A queue of no more jobs is counted whole. */
export const wholeLimit = 20_000;

const sizeStatement = statement<{ jobs: number }>(
  'estimate-jobs',
  `SELECT reltuples::bigint AS jobs FROM pg_class WHERE oid = 'crawl_jobs'::regclass`,
);

export const wholeStatement = statement<CountedJobs>(
  'count-newest-jobs',
  `
SELECT status, kind, retry_count, count(*) AS count FROM (
  SELECT status, kind, retry_count FROM crawl_jobs ORDER BY id DESC LIMIT ${wholeLimit + 1}
) job GROUP BY status, kind, retry_count`,
);

interface Branch {
  readonly name: string;
  readonly condition: string;
  readonly order: string;
}

/*
 * Each status along the index that has it and in the order of that index, so that a plan that reads the table is never the
 * cheaper one. Completed jobs are in none: claims and completions would pay for it.
 */
const ready = jobKinds.map((kind) => ({
  name: `ready ${kind}`,
  condition: `status = 'pending' AND run_at IS NULL AND kind = '${kind}'`,
  order: 'executor, priority DESC, created_at',
}));
const waiting = jobKinds.map((kind) => ({
  name: `waiting ${kind}`,
  condition: `status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL AND kind = '${kind}'`,
  // Not by the time too, which an index alone could not tell.
  order: 'executor, priority DESC',
}));
const processing = { name: 'processing', condition: `status = 'processing'`, order: 'worker_id' };
const setAside = ['retryable', 'paused', 'failed', 'cancelled', 'expired'].map((status) => ({
  name: status,
  condition: `status = '${status}'`,
  order: 'id DESC',
}));

/** Counted branch by branch: to put all rows together first would cost as much again as reading them. */
const branchText = ({ name, condition, order }: Branch, column: string, limit: number) => `
SELECT '${name}' AS branch, ${column}, count(*) AS count FROM (
  SELECT ${column} FROM crawl_jobs WHERE ${condition} ORDER BY ${order} LIMIT ${limit}
) job GROUP BY ${column}`;

/** From the indexes alone, but for the jobs that run now. */
export const branchesStatement = statement<{ branch: string; kind: JobKind; count: number }>(
  'count-jobs-by-branch',
  [...ready, ...waiting, processing, ...setAside]
    .map((branch) => branchText(branch, 'kind', countLimit + 1))
    .join('\nUNION ALL'),
);

/** The paused ones by their keys: otherwise the planner hopes to find them among the newest of all. */
const pausedRetries = `
SELECT 'paused' AS branch, retry_count, count(*) AS count FROM crawl_jobs WHERE id = ANY (ARRAY(
  SELECT id FROM crawl_jobs WHERE status = 'paused' ORDER BY id DESC LIMIT ${retryLimit + 1}
)) GROUP BY retry_count`;

export const retriesStatement = statement<{ branch: string; retry_count: number; count: number }>(
  'count-retries-by-branch',
  [
    ...[...ready, ...waiting, processing].map((branch) => branchText(branch, 'retry_count', retryLimit + 1)),
    pausedRetries,
  ].join('\nUNION ALL'),
);

/** As text: the planner may read the statistics of other tables' kinds before it drops them, and those are no kinds of jobs. */
const kindsStatement = statement<{ kind: JobKind; jobs: number }>(
  'estimate-jobs-by-kind',
  `
SELECT kind, round(greatest(reltuples, 0) * frequency)::bigint AS jobs
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
JOIN pg_stats ON schemaname = nspname AND tablename = relname AND attname = 'kind'
CROSS JOIN LATERAL unnest(most_common_vals::text::text[], most_common_freqs) AS common (kind, frequency)
WHERE pg_class.oid = 'crawl_jobs'::regclass`,
);

/** How many jobs there are of each status and kind, and how often the live ones were retried. */
export async function countJobs(db: Queryable): Promise<JobCounts> {
  const [size] = await run(db, sizeStatement);
  if ((size?.jobs ?? 0) <= 2 * wholeLimit) {
    const newest = await run(db, wholeStatement);
    if (sum(newest) <= wholeLimit) return toCounts(newest, 'exact');
  }
  const found = await run(db, branchesStatement);
  const kinds = await run(db, kindsStatement);
  const counts = new Map(found.map(({ branch, kind, count }) => [`${branch} ${kind}`, count]));
  const of = (branch: string, kind: JobKind) => counts.get(`${branch} ${kind}`) ?? 0;
  const isCapped = (branch: string) => sum(found.filter((row) => row.branch === branch)) > countLimit;
  const jobs = jobKinds.flatMap((kind) => {
    const retryable = of('retryable', kind);
    // Those that wait for a time, but for those that wait to be retried.
    const scheduled = Math.max(0, of(`waiting ${kind}`, kind) - retryable);
    const pending = {
      count: of(`ready ${kind}`, kind) + scheduled,
      isCapped: isCapped(`ready ${kind}`) || isCapped(`waiting ${kind}`) || isCapped('retryable'),
    };
    const others = ['processing', 'retryable', 'paused', 'failed', 'cancelled', 'expired'] as const;
    const counted = others.map((status) => ({ status, count: of(status, kind), isCapped: isCapped(status) }));
    const all = sum(kinds.filter((row) => row.kind === kind).map(({ jobs }) => ({ count: jobs })));
    // What no index counts: the rest of its kind.
    const completed = Math.max(0, all - pending.count - sum(counted));
    return [
      ...[{ status: 'pending' as const, ...pending }, ...counted].map(({ status, count, isCapped }) => ({
        status,
        kind,
        count,
        precision: isCapped ? ('at_least' as const) : ('exact' as const),
      })),
      { status: 'completed' as const, kind, count: completed, precision: 'estimate' as const },
    ];
  });
  return { jobs: inOrder(jobs), retries: await countRetries(db) };
}

async function countRetries(db: Queryable): Promise<Stats['retries']> {
  const rows = await run(db, retriesStatement);
  const branches = new Set(rows.map(({ branch }) => branch));
  const exact = [...branches].every(
    (name) => sum(rows.filter(({ branch }) => branch === name)) <= retryLimit,
  );
  return { data: histogram(rows), exact };
}

/** Counts of rows that were all read. */
export function toCounts(rows: readonly CountedJobs[], precision: Precision): JobCounts {
  const jobs = jobStatuses.flatMap((status) =>
    jobKinds.map((kind) => ({
      status,
      kind,
      count: sum(rows.filter((row) => row.status === status && row.kind === kind)),
      precision,
    })),
  );
  const live = rows.filter(({ status }) => isLive(status));
  return { jobs, retries: { data: histogram(live), exact: precision === 'exact' } };
}

function histogram(rows: readonly { readonly retry_count: number; readonly count: number }[]) {
  const counts = new Map<number, number>();
  for (const { retry_count, count } of rows) counts.set(retry_count, (counts.get(retry_count) ?? 0) + count);
  return [...counts]
    .map(([retry_count, count]) => ({ retry_count, count }))
    .sort((a, b) => a.retry_count - b.retry_count);
}

function inOrder(jobs: Stats['jobs']): Stats['jobs'] {
  return jobStatuses.flatMap((status) => jobs.filter((row) => row.status === status));
}

function sum(rows: readonly { readonly count: number }[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}
