import type { JobProgress, ShownJob } from '@holdfast/contract';
import { useOne } from '../../api/use-one.ts';
import type { Wire } from '../../api/wire.ts';

/** The progress of a crawl, refetched while it runs. */
export function useProgress({ id, status }: Pick<ShownJob, 'id' | 'status'>): Wire<JobProgress> | undefined {
  const isRunning = status === 'processing';
  return useOne<Wire<JobProgress>>(`/api/v1/jobs/${id}/progress`, {}, isRunning ? 2_000 : undefined).data;
}
