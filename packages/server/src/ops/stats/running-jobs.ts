import type { Count, StatsJob } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { leaseEnd } from '../../queue/jobs/held-job.ts';

const scanLimit = 10_000;
const shown = 20;

const columns = (job: string) =>
  `${[
    'id',
    'kind',
    'status',
    'progress_percentage',
    'worker_id',
    'error_code',
    'source_id',
    'user_id',
    'created_at',
    'started_at',
    'completed_at',
    'lease_expires_at',
  ]
    .map((column) => `${job}.${column}`)
    .join(', ')}, ${job}.payload ->> 'url' AS url, ${job}.payload ->> 'title' AS title`;

const running = `SELECT id FROM crawl_jobs
  WHERE status = 'processing' AND ($1::text IS NULL OR user_id = $1) ORDER BY worker_id LIMIT ${scanLimit}`;

/** Of running crawls only, by key: the cost does not depend on the number of finished ones. */
export const pendingPagesStatement = statement<{ pages: number }>(
  'count-pending-pages',
  `SELECT coalesce(sum(total_pending), 0)::bigint AS pages FROM crawl_states WHERE job_id = ANY (ARRAY(${running}))`,
);

export const stuckStatement = statement<StatsJob & { stuck: number; looked_at: number }>(
  'list-stuck-jobs',
  `
WITH running AS MATERIALIZED (
  SELECT id, ${leaseEnd('crawl_jobs')} AS lease_end FROM crawl_jobs
  WHERE status = 'processing' AND ($1::text IS NULL OR user_id = $1) ORDER BY worker_id LIMIT ${scanLimit}
),
overdue AS MATERIALIZED (
  SELECT id, lease_end, count(*) OVER () AS stuck, (SELECT count(*) FROM running) AS looked_at FROM running
  WHERE lease_end < now() ORDER BY lease_end LIMIT ${shown}
)
SELECT ${columns('job')}, overdue.stuck, overdue.looked_at
FROM overdue CROSS JOIN LATERAL (SELECT * FROM crawl_jobs WHERE id = overdue.id OFFSET 0) job
ORDER BY overdue.lease_end`,
);

const recent = (name: string, condition: string) =>
  statement<StatsJob>(
    `list-recent-jobs-of-${name}`,
    `SELECT ${columns('job')} FROM crawl_jobs job WHERE ${condition} ORDER BY id DESC LIMIT ${shown}`,
  );
/** The owner `local` usually owns everything: its newest jobs are among the newest of all. */
const recentLocal = statement<StatsJob>(
  'list-recent-jobs-of-local',
  `SELECT ${columns('job')} FROM (SELECT * FROM crawl_jobs ORDER BY id DESC LIMIT ${scanLimit}) job
   WHERE user_id = $1 ORDER BY id DESC LIMIT ${shown}`,
);
export const recentStatements = {
  all: recent('all', '$1::text IS NULL'),
  owner: recent('owner', `user_id = $1 AND user_id <> 'local'`),
  local: recentLocal,
} as const;

/** URLs found and not yet processed, over all running crawls. */
export async function countPendingPages(db: Queryable, userId: string | undefined): Promise<number> {
  return (await run(db, pendingPagesStatement, [userId]))[0]?.pages ?? 0;
}

/** Running jobs whose lease has expired and that the watchdog has not recovered yet. */
export async function listStuckJobs(
  db: Queryable,
  userId: string | undefined,
): Promise<Count & { data: StatsJob[] }> {
  const rows = await run(db, stuckStatement, [userId]);
  return {
    count: rows[0]?.stuck ?? 0,
    precision: (rows[0]?.looked_at ?? 0) < scanLimit ? 'exact' : 'at_least',
    data: rows.map(({ stuck: _, looked_at: __, ...job }) => job),
  };
}

export function listRecentJobs(db: Queryable, userId: string | undefined): Promise<StatsJob[]> {
  const way = userId === undefined ? 'all' : userId === 'local' ? 'local' : 'owner';
  return run(db, recentStatements[way], [userId]);
}
