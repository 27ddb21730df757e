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

/** Larger counts are lower bounds: on a screen they look the same. */
const countLimit = 10_000;
/** Rows read per branch of live jobs, to count retries. */
const retryLimit = 2_000;
/** A queue of up to this many jobs is counted completely. */
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
 * Each status is read in the order of its index, so that a plan which reads the table is never cheaper. Completed jobs are in
 * no index: claims and completions would pay for it.
 */
const ready = jobKinds.map((kind) => ({
  name: `ready ${kind}`,
  condition: `status = 'pending' AND run_at IS NULL AND kind = '${kind}'`,
  order: 'executor, priority DESC, created_at',
}));
const waiting = jobKinds.map((kind) => ({
  name: `waiting ${kind}`,
  condition: `status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL AND kind = '${kind}'`,
  // Without the time, which an index-only scan could not provide.
  order: 'executor, priority DESC',
}));
const processing = { name: 'processing', condition: `status = 'processing'`, order: 'worker_id' };
const setAside = ['retryable', 'paused', 'failed', 'cancelled', 'expired'].map((status) => ({
  name: status,
  condition: `status = '${status}'`,
  order: 'id DESC',
}));

/** Counted per branch: a union of the rows would cost as much again as reading them. */
const branchText = ({ name, condition, order }: Branch, column: string, limit: number) => `
SELECT '${name}' AS branch, ${column}, count(*) AS count FROM (
  SELECT ${column} FROM crawl_jobs WHERE ${condition} ORDER BY ${order} LIMIT ${limit}
) job GROUP BY ${column}`;

/** Index-only, except for running jobs. */
export const branchesStatement = statement<{ branch: string; kind: JobKind; count: number }>(
  'count-jobs-by-branch',
  [...ready, ...waiting, processing, ...setAside]
    .map((branch) => branchText(branch, 'kind', countLimit + 1))
    .join('\nUNION ALL'),
);

/** Paused jobs by their keys; otherwise the planner scans the newest jobs for them. */
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

/** Cast to text: the planner may evaluate statistics of other tables, whose kinds are not job kinds. */
const kindsStatement = statement<{ kind: JobKind; jobs: number }>(
  'estimate-jobs-by-kind',
  `
SELECT kind, round(greatest(reltuples, 0) * frequency)::bigint AS jobs
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
JOIN pg_stats ON schemaname = nspname AND tablename = relname AND attname = 'kind'
CROSS JOIN LATERAL unnest(most_common_vals::text::text[], most_common_freqs) AS common (kind, frequency)
WHERE pg_class.oid = 'crawl_jobs'::regclass`,
);

/** Jobs by status and kind, and live jobs by number of retries. */
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
    // Waiting for a time, without those that wait for a retry.
    const scheduled = Math.max(0, of(`waiting ${kind}`, kind) - retryable);
    const pending = {
      count: of(`ready ${kind}`, kind) + scheduled,
      isCapped: isCapped(`ready ${kind}`) || isCapped(`waiting ${kind}`) || isCapped('retryable'),
    };
    const others = ['processing', 'retryable', 'paused', 'failed', 'cancelled', 'expired'] as const;
    const counted = others.map((status) => ({ status, count: of(status, kind), isCapped: isCapped(status) }));
    const all = sum(kinds.filter((row) => row.kind === kind).map(({ jobs }) => ({ count: jobs })));
    // No index counts completed jobs: they are the rest of their kind.
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

/** Counts from rows that were all read. */
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
