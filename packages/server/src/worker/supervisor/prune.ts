import type { Queryable } from '../../base/database/statement.ts';
import { pruneVerdicts } from '../../crawl/render/render-verdicts.ts';
import { pruneJobs } from '../../crawl/retention/prune-jobs.ts';
import { pruneSources } from '../../governor/sources/prune-sources.ts';
import { pruneSessions } from '../../queue/access/sessions.ts';
import { pruneUnnamedProfiles } from '../../queue/profiles/unnamed-profile.ts';
import { pruneDeliveries } from '../../queue/webhooks/prune-deliveries.ts';
import { pruneAdapterCache } from '../../shop/collect/adapter-cache.ts';
import { forgetWorkers } from './register-worker.ts';

/**
 * Deletes what is older than the retention time: finished jobs with everything they stored, unused sources, deliveries, headers of
 * single jobs. Also what
 * expires by itself: sessions, cached adapter responses, workers that left, and what was
 * learned about rendering.
 */
export async function prune(
  db: Queryable,
  retentionDays: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ jobs: number; sources: number; deliveries: number }> {
  await pruneAdapterCache(db);
  await pruneSessions(db);
  await forgetWorkers(db);
  await pruneVerdicts(db, options);
  const jobs = await pruneJobs(db, retentionDays, options);
  await pruneUnnamedProfiles(db, retentionDays);
  const deliveries = await pruneDeliveries(db, retentionDays, options);
  return { jobs, sources: await pruneSources(db, retentionDays, options), deliveries };
}
