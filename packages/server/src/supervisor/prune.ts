import { pruneAdapterCache } from '../collect/adapter-cache.ts';
import type { Queryable } from '../database/statement.ts';
import { pruneJobs } from '../queue/prune-jobs.ts';
import { pruneSessions } from '../sessions/end-session.ts';
import { pruneSources } from '../sources/prune-sources.ts';
import { pruneDeliveries } from '../webhooks/prune-deliveries.ts';
import { forgetWorkers } from './register-worker.ts';

/**
 * Forgets what nobody has needed for so many days: finished jobs with all they stored, hosts nobody asked for, deliveries. And,
 * whatever the days, what has run out by itself.
 */
export async function prune(
  db: Queryable,
  retentionDays: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ jobs: number; sources: number; deliveries: number }> {
  await pruneAdapterCache(db);
  await pruneSessions(db);
  await forgetWorkers(db);
  const jobs = await pruneJobs(db, retentionDays, options);
  const deliveries = await pruneDeliveries(db, retentionDays, options);
  return { jobs, sources: await pruneSources(db, retentionDays, options), deliveries };
}
