import type { Queryable } from '../database/statement.ts';
import { listWorkers } from './list-workers.ts';

/** Whether anybody would take a job that is ready. One that drains, or that runs no jobs at all, does not. */
export async function hasLiveWorker(
  db: Queryable,
  configuration: { readonly heartbeatSeconds: number },
): Promise<boolean> {
  const workers = await listWorkers(db, configuration, { silent: false, limit: 1000 });
  return workers.some(({ state, max_jobs }) => state === 'alive' && max_jobs > 0);
}
