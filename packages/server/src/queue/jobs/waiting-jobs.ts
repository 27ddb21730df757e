import { canonicalOrigin, type HostCause, type Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { runJobsNow } from './run-jobs-now.ts';

/** Why a run gave its job back early; stored in crawl_jobs.blocked_by. */
export interface BlockedBy {
  /** Of the host that may be asked first. */
  readonly cause: HostCause;
  readonly host: string | null;
  readonly source: string | null;
  /** Number of hosts that the job waits for. */
  readonly hosts: number;
  /** Their sources: resuming one of them wakes the job. */
  readonly sources: readonly string[];
  /** The sources that were paused or disabled. */
  readonly paused: readonly string[];
}

/** Limit for crawls of very many hosts; the other hosts are checked again within minutes anyway. */
export const maxBlockedSources = 100;

const reasons: Readonly<Record<HostCause, string>> = {
  operator: 'an operator paused its source',
  disabled: 'its source is disabled',
  failures: 'paused after repeated failures',
  retry_after: 'the site asked for a pause (Retry-After)',
  limit: 'its rate limit or delay allows no request yet',
  robots: 'its robots.txt is unreachable',
  proxy: 'its proxy is paused after failures',
  tries: 'its failed URLs are retried later',
};

/** The text in the job's timeline. */
export function blockedReason({ cause, host, source, hosts }: BlockedBy): string {
  const more = hosts > 1 ? ` and ${hosts - 1} more` : '';
  return `waits for ${host ?? source ?? 'its host'}${more}: ${reasons[cause]}`;
}

/** Whether the job waits for a time in the future. */
export function isEarly({
  status,
  run_at,
  next_retry_at,
}: Pick<Job, 'status' | 'run_at' | 'next_retry_at'>): boolean {
  const until = status === 'retryable' ? next_retry_at : status === 'pending' ? run_at : null;
  return until !== null && until.getTime() > Date.now();
}

/** The private origins that a job needs, as written. Works on payloads that have not been validated. */
export function neededOrigins(payload: Readonly<Record<string, unknown>> | null): string[] {
  const needed = payload?.needs_private;
  return Array.isArray(needed) ? needed.filter((origin) => typeof origin === 'string') : [];
}

/** The origin as settings spell it; unchanged if it is none. */
export function asInSettings(origin: string): string {
  return canonicalOrigin(origin) ?? origin;
}

/** Walks all waiting jobs: operators rarely ask for it, and an index would cost every claim. */
export const waitingForSourceStatement = statement<{ id: string }>(
  'waiting-for-source',
  `
SELECT id FROM crawl_jobs
WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
  AND (blocked_by -> 'sources' ? $1 OR status = 'retryable' AND kind = 'collect' AND source_id = $1)
ORDER BY priority DESC, id`,
);

const batch = 1_000;

/** Starts the jobs that wait for a source that was resumed or enabled. Calls `onWoken` after each batch. */
export async function wakeJobsOfSource(
  db: Queryable,
  sourceId: string,
  actor: string,
  onWoken: () => Promise<void>,
): Promise<number> {
  const ids = (await run(db, waitingForSourceStatement, [sourceId])).map(({ id }) => id);
  let woken = 0;
  for (let start = 0; start < ids.length; start += batch) {
    const reason = `source ${sourceId} was resumed`;
    woken += (await runJobsNow(db, ids.slice(start, start + batch), actor, reason)).length;
    await onWoken();
  }
  return woken;
}
