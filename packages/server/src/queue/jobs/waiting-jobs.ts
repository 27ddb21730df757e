import type { HostCause } from '@holdfast/contract';

/** Why a run gave its job back before its time, as crawl_jobs.blocked_by has it. */
export interface BlockedBy {
  /** Of the host that is the first to be asked again. */
  readonly cause: HostCause;
  readonly host: string | null;
  readonly source: string | null;
  /** Hosts that it waits for, all told. */
  readonly hosts: number;
  /** Their sources: to resume one of them wakes the job. */
  readonly sources: readonly string[];
  /** Those of them that were paused or disabled. */
  readonly paused: readonly string[];
}

/** As many as a crawl of very many hosts names; the rest are looked at again in minutes. */
export const maxBlockedSources = 100;

const reasons: Readonly<Record<HostCause, string>> = {
  operator: 'an operator paused its source',
  disabled: 'its source is disabled',
  failures: 'it is paused after repeated failures',
  retry_after: 'the site asked for a pause (Retry-After)',
  limit: 'its rate limit or delay allows no request yet',
  robots: 'its robots.txt is unreachable',
  tries: 'its failed URLs are retried later',
};

/** For the timeline of the job. */
export function blockedReason({ cause, host, source, hosts }: BlockedBy): string {
  const more = hosts > 1 ? ` and ${hosts - 1} more` : '';
  return `waits for ${host ?? source ?? 'its host'}${more}: ${reasons[cause]}`;
}
