import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { ApiWorker } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** A worker is silent after this many missed heartbeats. */
const missedBeats = 3;

/** SQL: whether a row of `workers` has missed its heartbeats. `heartbeatSeconds` is a parameter or a column. */
export const isSilent = (worker: string, heartbeatSeconds: string) =>
  `${worker}.last_seen < now() - make_interval(secs => ${heartbeatSeconds}::float8 * ${missedBeats})`;

/** SQL: whether a worker claims jobs. A draining one does not, nor does one that runs a single job (`holdfast crawl`). */
export const isTakingJobs = (worker: string, heartbeatSeconds: string) =>
  `NOT ${isSilent(worker, heartbeatSeconds)} AND NOT ${worker}.draining AND ${worker}.max_jobs > 0`;

export type Worker = ApiWorker & { readonly host: string; readonly pid: number };

interface WorkerFilter {
  readonly silent?: boolean | undefined;
  /** Cursor: id of the last worker on the previous page. */
  readonly after?: string | undefined;
  readonly limit?: number;
}

const listStatement = statement<Worker>(
  'list-workers',
  `
SELECT id, CASE WHEN silent THEN 'silent' WHEN draining THEN 'draining' WHEN trouble IS NOT NULL THEN 'sick' ELSE 'alive' END AS state,
  trouble, host, pid, version, browser, browser_problem,
  max_jobs, running_jobs, started_at, last_seen
FROM (SELECT *, ${isSilent('workers', '$1')} AS silent FROM workers) worker
WHERE ($2::boolean IS NULL OR silent = $2) AND id > $3 ORDER BY id LIMIT $4`,
);

/** Workers by name. */
export function listWorkers(
  db: Queryable,
  { heartbeatSeconds }: { readonly heartbeatSeconds: number },
  { silent, after = '', limit = 50 }: WorkerFilter = {},
): Promise<Worker[]> {
  return run(db, listStatement, [heartbeatSeconds, silent, after, limit]);
}

/** Whether any worker would claim a job that is ready. */
export async function hasLiveWorker(
  db: Queryable,
  configuration: { readonly heartbeatSeconds: number },
): Promise<boolean> {
  const workers = await listWorkers(db, configuration, { silent: false, limit: 1000 });
  return workers.some(({ state, max_jobs }) => state === 'alive' && max_jobs > 0);
}

/** A unique worker name: host and pid for people, random bytes against collisions. */
export function nameWorker(): string {
  return `${hostname().slice(0, 60)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}
