import type { ApiWorker } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { isSilent } from '../jobs/live-workers.ts';

export type Worker = ApiWorker & { readonly host: string; readonly pid: number };

export interface WorkerFilter {
  readonly silent?: boolean | undefined;
  /** Id of the last worker of the page before. */
  readonly after?: string | undefined;
  readonly limit?: number;
}

const listStatement = statement<Worker>(
  'list-workers',
  `
SELECT id, CASE WHEN silent THEN 'silent' WHEN draining THEN 'draining' WHEN trouble IS NOT NULL THEN 'sick' ELSE 'alive' END AS state,
  trouble, host, pid, version,
  max_jobs, running_jobs, started_at, last_seen
FROM (SELECT *, ${isSilent('workers', '$1')} AS silent FROM workers) worker
WHERE ($2::boolean IS NULL OR silent = $2) AND id > $3 ORDER BY id LIMIT $4`,
);

/** Who works here, by name. */
export function listWorkers(
  db: Queryable,
  { heartbeatSeconds }: { readonly heartbeatSeconds: number },
  { silent, after = '', limit = 50 }: WorkerFilter = {},
): Promise<Worker[]> {
  return run(db, listStatement, [heartbeatSeconds, silent, after, limit]);
}
