import { type ErrorCode, HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

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

/** A lease that a bot claims to have. */
export interface AskedLease {
  readonly jobId: string;
  readonly botId: string;
  readonly userId: string;
  readonly seesEveryOwner: boolean;
  /** The fence of its token; null without one. */
  readonly token: number | null;
}

/** Of a token that this bot was not given for this job. */
export const foreignToken = -1;

/** The bots that ask: job, bot, owner of the bot, whether it sees every owner's jobs, fence of the token if there is one. */
export const askedColumns =
  'unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::bigint[]) WITH ORDINALITY AS asked (job_id, bot_id, user_id, sees_every_owner, token, position)';

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

export interface LockedLease {
  readonly verdict: LeaseVerdict;
  readonly fence: number;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly policy_id: string | null;
  /** For the result, if it brings one. */
  readonly result_id: string;
}

export const lockLeasesStatement = statement<LockedLease>(
  'lock-leases',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM ${askedColumns}
),
found AS MATERIALIZED (${foundJobs}
)
SELECT ${verdict} AS verdict, found.fence, found.retry_count, found.max_retries, found.policy_id, uuid_v7() AS result_id
FROM asked LEFT JOIN found USING (position) LEFT JOIN bots bot ON bot.user_id = asked.user_id AND bot.bot_id = asked.bot_id
ORDER BY position`,
);

/** Locks the jobs of these leases until the transaction ends, and says of each, in their order, whether it is held. */
export function lockLeases(db: Queryable, leases: readonly AskedLease[]): Promise<LockedLease[]> {
  return run(db, lockLeasesStatement, askedValues(leases));
}

/*
 * Of the claims of a job and all that this bot did to it, the last must be its own claim: it then neither submitted, nor did
 * anybody hold the job since. Backwards along the key, so that it reads the few events behind that claim.
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
 * Of leases whose jobs nobody holds now: those that ran out, or were taken away, with nobody holding the job since. To be
 * asked in a statement behind the one that locked the jobs: what it waited for is not to be seen in its own.
 */
export async function findLapsedLeases(
  db: Queryable,
  leases: readonly AskedLease[],
): Promise<ReadonlySet<AskedLease>> {
  if (leases.length === 0) return new Set();
  const rows = await run(db, heldLastStatement, [
    leases.map(({ jobId }) => jobId),
    leases.map(({ botId }) => botId),
  ]);
  return new Set(rows.map(({ position }) => leases[position - 1] as AskedLease));
}

/** Why a bot's write was refused. A token that was good once, and has no answer to repeat, names a lock that is over. */
export function leaseError(verdict: LeaseVerdict, { jobId, botId }: AskedLease): HoldfastError {
  if (verdict === 'held' || verdict === 'earlier') return new HoldfastError('lock_expired', `job ${jobId}`);
  return new HoldfastError(
    verdict,
    verdict === 'bot_not_allowed' ? `bot ${botId} is disabled` : `job ${jobId}`,
  );
}
