import {
  HoldfastError,
  maxWebhooksPerOwner,
  type Webhook,
  type WebhookRequest,
  webhookRequest,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { checkTarget } from './check-target.ts';
import { webhookColumns } from './find-webhooks.ts';
import { makeSecret } from './webhook-secret.ts';

/** Those who count an owner's webhooks take turns, or two would both find room for one. */
const takeTurnStatement = statement<never>(
  'take-turn-for-webhooks',
  `SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))`,
);

const createWebhookStatement = statement<Webhook>(
  'create-webhook',
  `
INSERT INTO webhooks AS hook (user_id, url, description, events, secret)
SELECT $1, $2, $3, $4::webhook_event[], $5
WHERE (SELECT count(*) FROM webhooks WHERE user_id = $1) < ${maxWebhooksPerOwner}
RETURNING ${webhookColumns('hook')}`,
);

/** The only answer, but for that to a rotation, that has the secret in it. */
export async function createWebhook(
  pool: pg.Pool,
  request: WebhookRequest,
  allowPrivate: readonly string[],
): Promise<Webhook & { secret: string }> {
  const { user_id, url, description, events } = checked(webhookRequest, request);
  const target = checkTarget(url, allowPrivate);
  const secret = makeSecret();
  const webhook = await inTransaction(pool, async (db) => {
    await run(db, takeTurnStatement, [user_id]);
    return (
      await run(db, createWebhookStatement, [user_id, target, description, [...new Set(events)], secret])
    )[0];
  });
  if (!webhook) throw new HoldfastError('too_many_webhooks', `${maxWebhooksPerOwner}`);
  return { ...webhook, secret };
}
