import type { Queryable } from '../../base/database/statement.ts';
import { listWorkers } from './live-workers.ts';

/** Whether anybody does what waits. One that drains does not, nor does `holdfast crawl`, which runs its own job alone. */
export async function hasLiveWorker(
  db: Queryable,
  configuration: { readonly heartbeatSeconds: number },
): Promise<boolean> {
  const workers = await listWorkers(db, configuration, { silent: false, limit: 1000 });
  return workers.some(({ state, max_jobs }) => state === 'alive' && max_jobs > 0);
}
