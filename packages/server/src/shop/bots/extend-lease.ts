import type { RequestedAction } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import {
  findLapsedLeases,
  foundJobs,
  heartbeatVerdict,
  type LeaseVerdict,
  leaseError,
  type RequestedLease,
  requestedLeaseColumns,
  requestedLeaseValues,
} from './bot-leases.ts';

export interface ExtendedLease {
  readonly lease_expires_at: Date;
  /** What the bot is asked to do. With pause or cancel the lease is not extended; its submit or the lease's end ends the run. */
  readonly action: 'continue' | RequestedAction;
}

/* Extends up to timeout_seconds after the start of the run, and never shortens. No index covers these columns, so the update is HOT. */
export const extendLeaseStatement = statement<ExtendedLease & { verdict: LeaseVerdict }>(
  'extend-lease',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM ${requestedLeaseColumns}
),
found AS MATERIALIZED (${foundJobs}
),
judged AS MATERIALIZED (
  SELECT asked.position, found.id, ${heartbeatVerdict} AS verdict
  FROM asked LEFT JOIN found USING (position) LEFT JOIN bots bot ON bot.user_id = asked.user_id AND bot.bot_id = asked.bot_id
),
extended AS (
  UPDATE crawl_jobs job SET last_heartbeat = now(),
    lease_expires_at = CASE WHEN requested_action IS NOT NULL THEN lease_expires_at
      ELSE greatest(lease_expires_at, least(clock_timestamp() + make_interval(secs => lease_seconds),
                                            started_at + make_interval(secs => timeout_seconds))) END
  FROM judged WHERE job.id = ANY ($1) AND job.id = judged.id AND judged.verdict = 'held'
  RETURNING judged.position, job.lease_expires_at, coalesce(job.requested_action::text, 'continue') AS action
),
seen AS (
  UPDATE bots SET last_seen_at = now()
  FROM asked JOIN extended USING (position) WHERE bots.user_id = asked.user_id AND bots.bot_id = asked.bot_id
)
SELECT judged.verdict, extended.lease_expires_at, extended.action FROM judged LEFT JOIN extended USING (position)`,
);

/** Renews the lease of a bot that is still at work. */
export async function extendLease(db: Queryable, lease: RequestedLease): Promise<ExtendedLease> {
  const [extended] = await run(db, extendLeaseStatement, requestedLeaseValues([lease]));
  const verdict = extended?.verdict ?? 'job_not_found';
  if (extended && verdict === 'held') return extended;
  const isExpired = verdict === 'job_not_locked' && (await findLapsedLeases(db, [lease])).has(lease);
  throw leaseError(isExpired ? 'lock_expired' : verdict, lease);
}
