import type { ApiKey } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { QuotaExceeded } from './quota-exceeded.ts';
import { secondsLeft } from './seconds-left.ts';

export interface JobQuota {
  readonly max_live_jobs: number | null;
  readonly max_jobs_per_day: number | null;
}

/** Those who make jobs with one key do it one after the other: so they count the same jobs, and none twice. */
const lockKeyStatement = statement<JobQuota>(
  'lock-key',
  'SELECT max_live_jobs, max_jobs_per_day FROM api_keys WHERE id = $1 FOR NO KEY UPDATE',
);

/** Forgets the jobs that have ended, notes those that are live from now on, and counts. */
const noteLiveJobsStatement = statement<{ live: number }>(
  'note-live-jobs',
  `
WITH known AS MATERIALIZED (
  SELECT job_id, EXISTS (
    SELECT FROM crawl_jobs WHERE id = job_id AND status IN ('pending', 'processing', 'retryable', 'paused')) AS live
  FROM key_live_jobs WHERE key_id = $1
),
ended AS (
  DELETE FROM key_live_jobs USING known
  WHERE key_id = $1 AND key_live_jobs.job_id = known.job_id AND NOT known.live AND known.job_id <> ALL ($2::uuid[])
),
noted AS (
  INSERT INTO key_live_jobs (key_id, job_id) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING
)
SELECT count(*) FILTER (WHERE live AND job_id <> ALL ($2::uuid[])) + cardinality($2::uuid[]) AS live FROM known`,
);

const countJobsStatement = statement<{ used: number }>(
  'count-jobs-per-day',
  `
INSERT INTO key_usage (key_id, quota, window_start, used)
SELECT $1::uuid, 'jobs_per_day', date_trunc('day', now(), 'UTC'), $2::integer WHERE $2::integer <= $3::integer
ON CONFLICT (key_id, quota, window_start) DO UPDATE SET used = key_usage.used + $2
  WHERE key_usage.used + $2 <= $3
RETURNING used`,
);

export const liveRetrySeconds = 30;

export function hasJobQuota({ max_live_jobs, max_jobs_per_day }: ApiKey): boolean {
  return max_live_jobs !== null || max_jobs_per_day !== null;
}

/** The quota as it is now, held until the transaction ends. */
export async function lockJobQuota(db: Queryable, key: ApiKey): Promise<JobQuota> {
  const [quota] = await run(db, lockKeyStatement, [key.id]);
  return quota ?? key;
}

export async function countLiveJobs(
  db: Queryable,
  key: ApiKey,
  added: readonly string[] = [],
): Promise<number> {
  const [counted] = await run(db, noteLiveJobsStatement, [key.id, added]);
  return counted?.live ?? 0;
}

/** Counts jobs just made in this transaction; it must be undone if that is too many. */
export async function spendJobQuota(
  db: Queryable,
  key: ApiKey,
  quota: JobQuota,
  created: readonly string[],
): Promise<void> {
  if (created.length === 0) return;
  const { max_live_jobs: maxLive, max_jobs_per_day: maxPerDay } = quota;
  await spendLiveJobs(db, key, maxLive, created);
  await spendJobsPerDay(db, key, maxPerDay, created.length);
}

export async function spendJobsPerDay(
  db: Queryable,
  key: ApiKey,
  max: number | null,
  count: number,
): Promise<void> {
  if (max === null || (await run(db, countJobsStatement, [key.id, count, max])).length > 0) return;
  throw new QuotaExceeded(`${max} jobs a day`, await secondsLeft(db, 'day'));
}

/** Counts jobs that this transaction has made live. */
export async function spendLiveJobs(
  db: Queryable,
  key: ApiKey,
  max: number | null,
  live: readonly string[],
): Promise<void> {
  if (max === null || live.length === 0 || (await countLiveJobs(db, key, live)) <= max) return;
  throw new QuotaExceeded(`${max} live jobs`, liveRetrySeconds);
}
