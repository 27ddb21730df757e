import type { Count, JobStatus, Stats } from '@holdfast/contract';
import { sumCounts } from '../design/count-text.ts';
import { useOne } from './use-one.ts';
import type { Wire } from './wire.ts';

export const statsPath = '/api/v1/stats';
export type ShownStats = Wire<Stats>;

export function useStats() {
  return useOne<ShownStats>(statsPath, {}, 15_000);
}

export function countOf(stats: ShownStats, ...statuses: readonly JobStatus[]): Count {
  return sumCounts(stats.jobs.filter(({ status }) => statuses.includes(status)));
}
