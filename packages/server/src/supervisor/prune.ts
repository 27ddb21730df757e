import { pruneAdapterCache } from '../collect/adapter-cache.ts';
import type { Queryable } from '../database/statement.ts';
import { pruneJobs } from '../queue/prune-jobs.ts';
import { pruneSources } from '../sources/prune-sources.ts';

/** Forgets what nobody has needed for so many days: finished jobs with all they stored, and hosts nobody asked for. */
export async function prune(
  db: Queryable,
  retentionDays: number,
  options: { signal?: AbortSignal } = {},
): Promise<{ jobs: number; sources: number }> {
  await pruneAdapterCache(db);
  const jobs = await pruneJobs(db, retentionDays, options);
  return { jobs, sources: await pruneSources(db, retentionDays, options) };
}
