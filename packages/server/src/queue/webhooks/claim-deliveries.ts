import { type Queryable, run, statement } from '../../base/database/statement.ts';

export interface ClaimedDelivery {
  readonly id: string;
  readonly webhook_id: string;
  /** The fence of this claim. */
  readonly fence: number;
  /** Including this one. */
  readonly attempts: number;
  /** The exact body to send. */
  readonly payload: string;
  readonly url: string;
  readonly secrets: readonly string[];
  /** Consecutive failures of its webhook before this attempt. */
  readonly failure_streak: number;
}

/** Per process. More would not help a receiver that keeps up, and would hurt one that does not. */
const mostPerWebhook = 4;

const returned = `
  delivery.id, delivery.webhook_id, delivery.fence, delivery.attempts, delivery.payload::text AS payload, hook.url,
  CASE WHEN hook.previous_expires_at > now() THEN ARRAY[hook.secret, hook.previous_secret] ELSE ARRAY[hook.secret] END
    AS secrets, hook.failure_streak`;

const leased = `
  fence = delivery.fence + 1, attempts = least(delivery.attempts + 1, 32767), last_attempt_at = now(),
  next_attempt_at = now() + make_interval(secs => $1), lease_expires_at = now() + make_interval(secs => $1)`;

/*
 * Takes a few deliveries of each webhook, in random order, so that one with a million deliveries or a slow receiver holds up no
 * other. A failing webhook is tried with one delivery per process; one in all would need a lock for every claim. $3 and $4: what
 * this process is already sending.
 */
export const claimDeliveriesStatement = statement<ClaimedDelivery>(
  'claim-deliveries',
  `
WITH hook AS MATERIALIZED (
  SELECT webhook.*, CASE WHEN failure_streak > 0 THEN 1 ELSE ${mostPerWebhook} END - coalesce(busy.count, 0) AS room
  FROM webhooks webhook LEFT JOIN unnest($3::uuid[], $4::integer[]) AS busy (id, count) ON busy.id = webhook.id
  WHERE enabled AND (not_before IS NULL OR not_before <= now())
  ORDER BY random()
),
due AS MATERIALIZED (
  SELECT found.id FROM hook CROSS JOIN LATERAL (
    SELECT id FROM webhook_deliveries
    WHERE webhook_id = hook.id AND status = 'pending' AND next_attempt_at <= now()
    ORDER BY next_attempt_at LIMIT greatest(hook.room, 0) FOR UPDATE SKIP LOCKED
  ) found
  LIMIT $2
)
UPDATE webhook_deliveries delivery SET ${leased}
FROM hook WHERE delivery.id = ANY (ARRAY(SELECT id FROM due)) AND hook.id = delivery.webhook_id
RETURNING ${returned}`,
);

const claimOneStatement = statement<ClaimedDelivery>(
  'claim-delivery',
  `
UPDATE webhook_deliveries delivery SET ${leased}
FROM webhooks hook
WHERE delivery.id = $2 AND delivery.status = 'pending' AND delivery.next_attempt_at <= now()
  AND hook.id = delivery.webhook_id AND hook.enabled
RETURNING ${returned}`,
);

export interface DeliveryClaim {
  readonly limit: number;
  readonly leaseSeconds: number;
  /** How many deliveries of each webhook this process is sending. */
  readonly busy?: ReadonlyMap<string, number>;
}

/** Leases deliveries that are due. After `leaseSeconds`, another process may take them over. */
export function claimDeliveries(
  db: Queryable,
  { limit, leaseSeconds, busy = new Map() }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  return run(db, claimDeliveriesStatement, [leaseSeconds, limit, [...busy.keys()], [...busy.values()]]);
}

/** Leases this delivery if it is due and nobody holds it. */
export async function claimDelivery(
  db: Queryable,
  id: string,
  leaseSeconds: number,
): Promise<ClaimedDelivery | undefined> {
  return (await run(db, claimOneStatement, [leaseSeconds, id]))[0];
}
