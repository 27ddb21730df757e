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
import { AddressGuard } from '../../web/fetch/address-guard.ts';
import { webhookColumns } from './find-webhooks.ts';
import { makeSecret } from './send-delivery.ts';

/**
 * Normalizes the URL and throws if no worker with this allow-list would send to it. An early answer for the user only: the fetcher
 * checks again when it opens the socket.
 */
export function checkTarget(url: string, allowPrivate: readonly string[]): string {
  const target = new URL(url);
  target.hash = '';
  try {
    new AddressGuard(allowPrivate).checkUrl(target);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'address_forbidden') throw error;
    throw new HoldfastError('address_forbidden', undefined, {
      hint: `Give a public address, or let who runs Holdfast set HOLDFAST_ALLOW_PRIVATE=${target.origin} for \`up\` (or \`api\` and \`worker\`), and for \`holdfast webhooks add\` as well: each checks by its own environment.`,
    });
  }
  return target.href;
}

/** Requests that count an owner's webhooks take turns, or two could take the last place. */
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

/** Creates a webhook. Only this answer and that of a rotation contain the secret. */
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
