import { webhookPatienceDays } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';

const deliveredStatement = statement<{ id: string }>(
  'delivery-delivered',
  `
WITH delivered AS (
  UPDATE webhook_deliveries SET
    status = 'delivered', delivered_at = now(), last_status = $3, last_error = NULL, lease_expires_at = NULL
  WHERE id = $1 AND fence = $2 AND status = 'pending' RETURNING id, webhook_id
),
well AS (
  UPDATE webhooks SET failure_streak = 0, failing_since = NULL, not_before = NULL
  WHERE id = (SELECT webhook_id FROM delivered) AND failing_since IS NOT NULL
)
SELECT id FROM delivered`,
);

/* $5 null: no further attempt. $6 null: not the receiver's fault. $7: the reason to disable the webhook at once, if any. */
const failedStatement = statement<{ id: string; disabled: boolean }>(
  'delivery-failed',
  `
WITH failed AS (
  UPDATE webhook_deliveries SET last_status = $3, last_error = $4,
    status = CASE WHEN $5::float8 IS NULL THEN 'dead' ELSE 'pending' END::webhook_delivery_status,
    next_attempt_at = now() + make_interval(secs => coalesce($5::float8, 0)), lease_expires_at = NULL
  WHERE id = $1 AND fence = $2 AND status = 'pending' RETURNING id, webhook_id
),
ill AS (
  UPDATE webhooks hook SET failure_streak = failure_streak + 1, failing_since = coalesce(failing_since, now()),
    not_before = greatest(not_before, now() + make_interval(secs => $6::float8)),
    enabled = enabled AND $7::text IS NULL AND failing_since >= now() - interval '${webhookPatienceDays} days' IS NOT FALSE,
    disabled_reason = CASE WHEN NOT enabled THEN disabled_reason WHEN $7::text IS NOT NULL THEN $7
      WHEN failing_since < now() - interval '${webhookPatienceDays} days'
      THEN 'it has accepted nothing for ${webhookPatienceDays} days; the last reason: ' || $4 END
  WHERE id = (SELECT webhook_id FROM failed) AND $6::float8 IS NOT NULL
  RETURNING enabled
)
SELECT id, NOT coalesce((SELECT enabled FROM ill), true) AS disabled FROM failed`,
);

/** False: somebody else has taken the delivery over, and their outcome counts. */
export async function settleDelivered(
  db: Queryable,
  { id, fence }: Pick<ClaimedDelivery, 'id' | 'fence'>,
  status: number,
): Promise<boolean> {
  return (await run(db, deliveredStatement, [id, fence, status])).length > 0;
}

export interface DeliveryFailure {
  /** HTTP status, if there was an answer. */
  readonly status: number | null;
  readonly error: string;
  /** Seconds until the next attempt; null: none. */
  readonly retrySeconds: number | null;
  /** Seconds until the webhook's next delivery; null: the failure is not the receiver's. */
  readonly pauseSeconds: number | null;
  /** Why to disable the webhook, if at all. */
  readonly disable: string | null;
}

export interface SettledFailure {
  /** False: somebody else has taken the delivery over, and their outcome counts. */
  readonly held: boolean;
  readonly disabled: boolean;
}

export async function settleFailed(
  db: Queryable,
  { id, fence }: Pick<ClaimedDelivery, 'id' | 'fence'>,
  { status, error, retrySeconds, pauseSeconds, disable }: DeliveryFailure,
): Promise<SettledFailure> {
  const values = [id, fence, status, error.slice(0, 500), retrySeconds, pauseSeconds, disable];
  const [row] = await run(db, failedStatement, values);
  return { held: row !== undefined, disabled: row?.disabled ?? false };
}
