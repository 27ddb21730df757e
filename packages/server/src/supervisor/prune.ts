import { pruneAdapterCache } from '../collect/adapter-cache.ts';
import type { Queryable } from '../database/statement.ts';
import { pruneJobs } from '../queue/prune-jobs.ts';
import { pruneSources } from '../sources/prune-sources.ts';
import { pruneDeliveries } from '../webhooks/prune-deliveries.ts';

/** Forgets what nobody has needed for so many days: finished jobs with all they stored, hosts nobody asked for, deliveries. */
export async function prune(
  db: Queryable,
  retentionDays: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ jobs: number; sources: number; deliveries: number }> {
  await pruneAdapterCache(db);
  const jobs = await pruneJobs(db, retentionDays, options);
  const deliveries = await pruneDeliveries(db, retentionDays, options);
  return { jobs, sources: await pruneSources(db, retentionDays, options), deliveries };
}
