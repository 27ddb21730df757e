import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** The errors for a lease that the bot does not hold. */
type LeaseError = Extract<
  ErrorCode,
  'bot_not_allowed' | 'job_not_found' | 'job_not_locked' | 'not_assigned' | 'lock_expired'
>;

/**
 * held     the bot holds the lease, and it has not run out
 * earlier  the token is of an earlier lease; if that has submitted, its answer is repeated
 */
export type LeaseVerdict = 'held' | 'earlier' | LeaseError;

/** A lease that a bot says it holds. */
export interface RequestedLease {
  readonly jobId: string;
  readonly botId: string;
  readonly userId: string;
  readonly seesEveryOwner: boolean;
  /** The fence in its token; null without a token. */
  readonly token: number | null;
}

/** Stands for a token that was not issued to this bot for this job. */
export const foreignToken = -1;

/** SQL: the asked leases from $1 to $5, in the order of requestedLeaseValues. */
export const requestedLeaseColumns =
  'unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::bigint[]) WITH ORDINALITY AS asked (job_id, bot_id, user_id, sees_every_owner, token, position)';

/** The parameters $1 to $5. */
export function requestedLeaseValues(leases: readonly RequestedLease[]): unknown[] {
  return [
    leases.map(({ jobId }) => jobId),
    leases.map(({ botId }) => botId),
    leases.map(({ userId }) => userId),
    leases.map(({ seesEveryOwner }) => seesEveryOwner),
    leases.map(({ token }) => token),
  ];
}

/** SQL: locks the jobs of `asked` in id order, so that the sweep, operators and other submits come before or after. */
export const foundJobs = `
  SELECT asked.position, job.id, job.fence, job.status, job.executor, job.worker_id, job.lease_expires_at,
    job.requested_action, job.retry_count, job.max_retries, job.policy_id
  FROM asked JOIN crawl_jobs job
    ON job.id = ANY ($1) AND job.id = asked.job_id AND (asked.sees_every_owner OR job.user_id = asked.user_id)
  ORDER BY job.id FOR NO KEY UPDATE OF job`;

const isProcessing = `found.status::text = 'processing'`;
const isOwn = `found.executor = 'bot' AND found.worker_id = asked.bot_id`;
const byTime = `CASE WHEN found.lease_expires_at > clock_timestamp() THEN 'held' ELSE 'lock_expired' END`;

/** SQL: the verdict on each asked lease, with `bot` and `found` joined to `asked`. */
const verdict = `CASE
    WHEN bot.enabled IS FALSE THEN 'bot_not_allowed'
    WHEN found.id IS NULL THEN 'job_not_found'
    WHEN asked.token > 0 AND NOT (${isProcessing} AND ${isOwn} AND found.fence = asked.token) THEN 'earlier'
    WHEN asked.token = ${foreignToken} OR ${isProcessing} AND NOT (${isOwn}) THEN 'not_assigned'
    WHEN NOT ${isProcessing} THEN 'job_not_locked'
    ELSE ${byTime} END`;

/** SQL: the verdict for a heartbeat, which has no earlier answer to repeat. */
export const heartbeatVerdict = `CASE
    WHEN bot.enabled IS NOT FALSE AND asked.token > 0 AND NOT ${isProcessing} THEN 'job_not_locked'
    ELSE ${verdict} END`;

export interface LockedLease {
  readonly verdict: LeaseVerdict;
  readonly fence: number;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly policy_id: string | null;
  /** The id for the result, if the submission has one. */
  readonly result_id: string;
}

export const lockLeasesStatement = statement<LockedLease>(
  'lock-leases',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM ${requestedLeaseColumns}
),
found AS MATERIALIZED (${foundJobs}
)
SELECT ${verdict} AS verdict, found.fence, found.retry_count, found.max_retries, found.policy_id, uuid_v7() AS result_id
FROM asked LEFT JOIN found USING (position) LEFT JOIN bots bot ON bot.user_id = asked.user_id AND bot.bot_id = asked.bot_id
ORDER BY position`,
);

/** Locks the jobs of these leases until the transaction ends. Returns the verdict on each, in order. */
export function lockLeases(db: Queryable, leases: readonly RequestedLease[]): Promise<LockedLease[]> {
  return run(db, lockLeasesStatement, requestedLeaseValues(leases));
}

/*
 * A lease lapsed if the job's latest claim or action of this bot is the bot's own claim: it has not submitted, and nobody has
 * held the job since. Reads the events backwards, so only the few after that claim.
 */
const heldLastStatement = statement<{ position: number }>(
  'held-last',
  `
SELECT asked.position::integer FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS asked (job_id, bot_id, position)
CROSS JOIN LATERAL (
  SELECT transition, actor FROM job_events
  WHERE job_id = asked.job_id AND (transition = 'claim' OR actor = 'bot:' || asked.bot_id)
  ORDER BY event_no DESC LIMIT 1
) latest
WHERE latest.transition = 'claim' AND latest.actor = 'bot:' || asked.bot_id`,
);

/**
 * Of leases whose jobs nobody holds now, those that ran out or were taken away. Must run after the statement that locked the jobs:
 * a statement does not see what it waited for.
 */
export async function findLapsedLeases(
  db: Queryable,
  leases: readonly RequestedLease[],
): Promise<ReadonlySet<RequestedLease>> {
  if (leases.length === 0) return new Set();
  const rows = await run(db, heldLastStatement, [
    leases.map(({ jobId }) => jobId),
    leases.map(({ botId }) => botId),
  ]);
  return new Set(rows.map(({ position }) => leases[position - 1] as RequestedLease));
}

/** The error for a refused write. An earlier token without an answer to repeat names an expired lock. */
export function leaseError(verdict: LeaseVerdict, { jobId, botId }: RequestedLease): HoldfastError {
  if (verdict === 'held' || verdict === 'earlier') return new HoldfastError('lock_expired', `job ${jobId}`);
  return new HoldfastError(
    verdict,
    verdict === 'bot_not_allowed' ? `bot ${botId} is disabled` : `job ${jobId}`,
  );
}
