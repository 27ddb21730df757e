import type { ApiSource } from '@holdfast/contract';

const reasons: Readonly<Record<string, string>> = {
  operator: 'paused by hand',
  failures: 'paused after failures',
  retry_after: 'paused: the site asked for it',
};

/** Why a source stands still. */
export function pauseText({ enabled, pause_reason }: Pick<ApiSource, 'enabled' | 'pause_reason'>): string {
  if (!enabled) return 'disabled';
  return (pause_reason && reasons[pause_reason]) ?? 'paused';
}
