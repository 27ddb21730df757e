import type { ErrorCode } from '@holdfast/contract';

/** What a bot may be told about a lease that it does not hold. */
type LeaseError = Extract<
  ErrorCode,
  'bot_not_allowed' | 'job_not_found' | 'job_not_locked' | 'not_assigned' | 'lock_expired'
>;

/**
 * held     the lease is this bot's, and its time is not over
 * earlier  the token was good once; if its lease has submitted, it gets that answer again
 */
export type LeaseVerdict = 'held' | 'earlier' | LeaseError;

/** Of a token that this bot was not given for this job. */
export const foreignToken = -1;

/** The bots that ask: job, bot, owner of the bot, whether it sees every owner's jobs, fence of the token if there is one. */
export const askedColumns =
  'unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::bigint[]) WITH ORDINALITY AS asked (job_id, bot_id, user_id, sees_every_owner, token, position)';

/**
 * Locks the jobs of `asked`, in the order of their ids, so that whatever else happens to them comes before or after: the
 * sweep, an operator, another submit. Judged after the lock, by the database's clock.
 */
export const foundJobs = `
  SELECT asked.position, job.id, job.fence, job.status, job.executor, job.worker_id, job.lease_expires_at,
    job.requested_action, job.retry_count, job.max_retries, job.policy_id
  FROM asked JOIN crawl_jobs job
    ON job.id = ANY ($1) AND job.id = asked.job_id AND (asked.sees_every_owner OR job.user_id = asked.user_id)
  ORDER BY job.id FOR NO KEY UPDATE OF job`;

const isProcessing = `found.status::text = 'processing'`;
const isOwn = `found.executor = 'bot' AND found.worker_id = asked.bot_id`;
const byTime = `CASE WHEN found.lease_expires_at > clock_timestamp() THEN 'held' ELSE 'lock_expired' END`;

/** With `bot` (its row, if it has one) and `found` joined to `asked`. */
export const verdict = `CASE
    WHEN bot.enabled IS FALSE THEN 'bot_not_allowed'
    WHEN found.id IS NULL THEN 'job_not_found'
    WHEN asked.token > 0 AND NOT (${isProcessing} AND ${isOwn} AND found.fence = asked.token) THEN 'earlier'
    WHEN asked.token = ${foreignToken} OR ${isProcessing} AND NOT (${isOwn}) THEN 'not_assigned'
    WHEN NOT ${isProcessing} THEN 'job_not_locked'
    ELSE ${byTime} END`;

/**
 * The same for a heartbeat. It has no earlier answer to repeat: of a job that nobody holds now, a bot with a token of its own
 * is told what one without a token is told (held-last.ts).
 */
export const heartbeatVerdict = `CASE
    WHEN bot.enabled IS NOT FALSE AND asked.token > 0 AND NOT ${isProcessing} THEN 'job_not_locked'
    ELSE ${verdict} END`;

/** A lease that a bot claims to have. */
export interface AskedLease {
  readonly jobId: string;
  readonly botId: string;
  readonly userId: string;
  readonly seesEveryOwner: boolean;
  /** The fence of its token; null without one. */
  readonly token: number | null;
}

/** The values of $1 to $5. */
export function askedValues(leases: readonly AskedLease[]): unknown[] {
  return [
    leases.map(({ jobId }) => jobId),
    leases.map(({ botId }) => botId),
    leases.map(({ userId }) => userId),
    leases.map(({ seesEveryOwner }) => seesEveryOwner),
    leases.map(({ token }) => token),
  ];
}
