import type { Queryable } from '../../base/database/statement.ts';
import { pruneJobs } from '../../crawl/retention/prune-jobs.ts';
import { pruneSources } from '../../governor/sources/prune-sources.ts';
import { pruneSessions } from '../../queue/access/sessions.ts';
import { pruneDeliveries } from '../../queue/webhooks/prune-deliveries.ts';
import { pruneAdapterCache } from '../../shop/collect/adapter-cache.ts';
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
