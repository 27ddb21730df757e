import { setTimeout as delay } from 'node:timers/promises';
import {
  type Configuration,
  HoldfastError,
  type WebhookDelivery,
  webhookTestEvent,
} from '@holdfast/contract';
import { isId } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hasLiveWorker } from '../workers/worker-list.ts';
import type { Deliverer } from './deliverer.ts';
import { deliveryColumns, findDelivery } from './find-deliveries.ts';
import { findWebhook } from './find-webhooks.ts';

/** SQL: a due time before all pending deliveries, for one that a user is waiting for. `webhook`: the parameter with its id. */
const inFront = (webhook: string) => `
  least(now(), (SELECT min(next_attempt_at) - interval '1 millisecond' FROM webhook_deliveries
    WHERE webhook_id = ${webhook} AND status = 'pending'))`;

/** SQL: ends the pause of a webhook that failed. */
export const endBackoff = (webhook: string) => `
  UPDATE webhooks SET not_before = NULL WHERE id = ${webhook} AND enabled AND not_before IS NOT NULL`;

export const anew = (nextAttempt: string) =>
  `status = 'pending', attempts = 0, next_attempt_at = ${nextAttempt}, delivered_at = NULL`;

const sendTestStatement = statement<WebhookDelivery>(
  'send-webhook-test',
  `
WITH delivery AS (
  INSERT INTO webhook_deliveries (webhook_id, event, next_attempt_at, payload)
  SELECT id, '${webhookTestEvent}', ${inFront('$1')},
    webhook_payload('${webhookTestEvent}', now(), json_build_object('webhook_id', id, 'user_id', user_id))
  FROM webhooks WHERE id = $1 AND enabled
  RETURNING *
),
tried AS (${endBackoff('$1')})
SELECT ${deliveryColumns('delivery', 'delivery.next_attempt_at')} FROM delivery`,
);

/** Puts a test delivery into the outbox. */
export async function sendTest(db: Queryable, id: string, owner?: string): Promise<WebhookDelivery> {
  const webhook = await findWebhook(db, id, owner);
  const [delivery] = await run(db, sendTestStatement, [id]);
  if (!delivery) throw new HoldfastError('webhook_disabled', webhook.disabled_reason ?? undefined);
  return delivery;
}

/* A delivery that is being sent is left alone: it must not be sent twice at once. */
const replayOneStatement = statement<WebhookDelivery>(
  'replay-delivery',
  `
WITH delivery AS (
  UPDATE webhook_deliveries SET ${anew(inFront('$2'))}
  WHERE id = $1 AND webhook_id = $2 AND lease_expires_at > now() IS NOT TRUE
    AND EXISTS (SELECT FROM webhooks WHERE id = $2 AND enabled)
  RETURNING *
),
tried AS (${endBackoff('$2')} AND EXISTS (SELECT FROM delivery))
SELECT ${deliveryColumns('delivery', 'delivery.next_attempt_at')} FROM delivery`,
);

const showStatement = statement<WebhookDelivery>(
  'show-delivery',
  `SELECT ${deliveryColumns('delivery')} FROM webhook_deliveries delivery WHERE id = $1 AND webhook_id = $2`,
);

/** Sends a delivery again at once, with the same id, whatever its outcome was. */
export async function replayDelivery(db: Queryable, webhookId: string, id: string): Promise<WebhookDelivery> {
  if (!isId(id)) throw new HoldfastError('delivery_not_found', id);
  const [replayed] = await run(db, replayOneStatement, [id, webhookId]);
  if (replayed) return replayed;
  const [delivery] = await run(db, showStatement, [id, webhookId]);
  if (!delivery) throw new HoldfastError('delivery_not_found', id);
  const { enabled, disabled_reason } = await findWebhook(db, webhookId);
  if (!enabled) throw new HoldfastError('webhook_disabled', disabled_reason ?? undefined);
  return delivery;
}

/** Time for a worker to claim the delivery and to store its outcome. */
const marginMs = 5000;

/**
 * Waits for the outcome of a delivery's next attempt. A worker makes it; if none is alive, `deliverer` does. If no worker has
 * capacity in time, the returned delivery is still untried.
 */
export async function awaitOutcome(
  db: Queryable,
  { id, webhook_id }: Pick<WebhookDelivery, 'id' | 'webhook_id'>,
  deliverer: Deliverer,
  configuration: Pick<Configuration, 'heartbeatSeconds' | 'webhookTimeoutSeconds'>,
): Promise<WebhookDelivery> {
  const patienceMs = configuration.webhookTimeoutSeconds * 1000 + marginMs;
  let until = performance.now() + patienceMs;
  let isTaken = false;
  for (;;) {
    // Asked each time: a killed worker counts as alive until its heartbeats are missed.
    if (!isTaken && !(await hasLiveWorker(db, configuration))) await deliverer.deliver(id);
    const { payload: _, ...delivery } = await findDelivery(db, webhook_id, id);
    if (delivery.status !== 'pending' || delivery.last_error !== null) return delivery;
    if (!isTaken && delivery.attempts > 0) {
      isTaken = true;
      until = performance.now() + patienceMs;
    }
    if (performance.now() > until) return delivery;
    await delay(100);
  }
}
