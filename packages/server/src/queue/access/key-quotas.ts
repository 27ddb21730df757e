import { type ApiKey, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

export class QuotaExceeded extends HoldfastError {
  readonly retryAfterSeconds: number;

  constructor(detail: string, retryAfterSeconds: number, hint?: string) {
    super('quota_exceeded', detail, hint === undefined ? {} : { hint });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface JobQuota {
  readonly max_live_jobs: number | null;
  readonly max_jobs_per_day: number | null;
}

/** Requests that create jobs with one key take turns, so that none of their jobs is counted twice or missed. */
const lockKeyStatement = statement<JobQuota>(
  'lock-key',
  'SELECT max_live_jobs, max_jobs_per_day FROM api_keys WHERE id = $1 FOR NO KEY UPDATE',
);

/** Drops jobs that have ended, adds those that became live, and counts. */
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

/** Reads the quota and locks it until the transaction ends. */
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

/** Counts jobs created in this transaction. Throws when they exceed the quota; the caller must then roll back. */
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

/** Counts jobs that became live in this transaction. Throws when they exceed the quota. */
export async function spendLiveJobs(
  db: Queryable,
  key: ApiKey,
  max: number | null,
  live: readonly string[],
): Promise<void> {
  if (max === null || live.length === 0 || (await countLiveJobs(db, key, live)) <= max) return;
  throw new QuotaExceeded(`${max} live jobs`, liveRetrySeconds);
}

/** Decides and counts in one statement, so that concurrent requests cannot exceed the limit. */
const countRequestStatement = statement<{ used: number }>(
  'count-request',
  `
INSERT INTO key_usage (key_id, quota, window_start, used)
VALUES ($1, 'requests_per_minute', date_trunc('minute', now(), 'UTC'), 1)
ON CONFLICT (key_id, quota, window_start) DO UPDATE SET used = key_usage.used + 1 WHERE key_usage.used < $2
RETURNING used`,
);

/** Counts a request against the key's quota, if it has one. Refused requests are not counted. */
export async function countRequest(db: Queryable, key: ApiKey): Promise<void> {
  const { id, max_requests_per_minute: limit } = key;
  if (limit === null) return;
  const counted = await run(db, countRequestStatement, [id, limit]);
  if (counted.length > 0) return;
  throw new QuotaExceeded(`${limit} requests a minute`, await secondsLeft(db, 'minute'));
}

const secondsLeftStatement = statement<{ seconds: number }>(
  'seconds-left-of-window',
  `SELECT ceil(extract(epoch FROM date_trunc($1, now(), 'UTC') + ('1 ' || $1)::interval - now()))::integer AS seconds`,
);

/** Seconds until the next quota window begins, by the database's clock. */
async function secondsLeft(db: Queryable, window: 'minute' | 'day'): Promise<number> {
  const [left] = await run(db, secondsLeftStatement, [window]);
  return Math.max(1, left?.seconds ?? 1);
}

const pruneUsageStatement = statement<never>(
  'prune-key-usage',
  `DELETE FROM key_usage WHERE window_start < now() - interval '2 days'
     OR quota = 'requests_per_minute' AND window_start < now() - interval '10 minutes'`,
);

/** Deletes the counters of past windows. */
export async function pruneUsage(db: Queryable): Promise<void> {
  await run(db, pruneUsageStatement);
}
