import { HoldfastError, type WebhookDelivery, webhookTestEvent } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { deliveryColumns } from './find-deliveries.ts';
import { findWebhook } from './find-webhooks.ts';
import { endBackoff, inFront } from './try-at-once.ts';

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

/** Puts a delivery that tells of nothing into the outbox. */
export async function sendTest(db: Queryable, id: string, owner?: string): Promise<WebhookDelivery> {
  const webhook = await findWebhook(db, id, owner);
  const [delivery] = await run(db, sendTestStatement, [id]);
  if (!delivery) throw new HoldfastError('webhook_disabled', webhook.disabled_reason ?? undefined);
  return delivery;
}
