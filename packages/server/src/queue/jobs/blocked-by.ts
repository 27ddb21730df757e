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
  operator: 'its source is paused by an operator',
  disabled: 'its source is disabled',
  failures: 'it failed again and again',
  retry_after: 'it asked to be left alone (Retry-After)',
  limit: 'its limit or delay lets no request start yet',
  robots: 'its robots.txt is unreachable',
  tries: 'its URLs that failed are tried again later',
};

/** For the timeline of the job. */
export function blockedReason({ cause, host, source, hosts }: BlockedBy): string {
  const more = hosts > 1 ? ` and ${hosts - 1} more` : '';
  return `waits for ${host ?? source ?? 'its host'}${more}: ${reasons[cause]}`;
}
