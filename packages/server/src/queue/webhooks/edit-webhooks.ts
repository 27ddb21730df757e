import {
  defaultRotationHours,
  HoldfastError,
  maxWebhooksPerOwner,
  type Webhook,
  type WebhookChange,
  type WebhookRequest,
  webhookChange,
  webhookRequest,
} from '@holdfast/contract';
import type pg from 'pg';
import { checked } from '../../base/checked.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
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
      hint: `Use a public address, or ask the operator to set HOLDFAST_ALLOW_PRIVATE=${target.origin} for \`up\` (or \`api\` and \`worker\`) and for \`holdfast webhooks add\`: each process reads its own environment.`,
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

/* A new URL, or enabling the webhook, forgets earlier failures and ends the backoff. */
const updateWebhookStatement = statement<Webhook>(
  'update-webhook',
  `
UPDATE webhooks hook SET
  url = coalesce($3, url), events = coalesce($4::webhook_event[], events),
  description = CASE WHEN $5 THEN $6 ELSE description END, enabled = coalesce($7, enabled),
  disabled_reason = CASE WHEN coalesce($7, enabled) THEN NULL ELSE coalesce(disabled_reason, 'it was disabled by hand') END,
  failure_streak = CASE WHEN $3 <> url OR $7 THEN 0 ELSE failure_streak END,
  failing_since = CASE WHEN $3 <> url OR $7 THEN NULL ELSE failing_since END,
  not_before = CASE WHEN $3 <> url OR $7 THEN NULL ELSE not_before END,
  updated_at = now()
WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${webhookColumns('hook')}`,
);

/** Changes the named fields. Pending deliveries go to the new URL. */
export async function updateWebhook(
  db: Queryable,
  id: string,
  change: WebhookChange,
  allowPrivate: readonly string[],
  owner?: string,
): Promise<Webhook> {
  const { url, events, description, enabled } = checked(webhookChange, change);
  const target = url === undefined ? undefined : checkTarget(url, allowPrivate);
  const values = [
    id,
    owner,
    target,
    events && [...new Set(events)],
    description !== undefined,
    description,
    enabled,
  ];
  const [webhook] = isId(id) ? await run(db, updateWebhookStatement, values) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return webhook;
}

const rotateSecretStatement = statement<Webhook>(
  'rotate-webhook-secret',
  `
UPDATE webhooks hook SET
  secret = $3, previous_secret = CASE WHEN $4::integer > 0 THEN secret END,
  previous_expires_at = CASE WHEN $4::integer > 0 THEN now() + make_interval(hours => $4::integer) END, updated_at = now()
WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
RETURNING ${webhookColumns('hook')}`,
);

/** Replaces the secret. The old one also signs for `overlapHours`; 0 if it has leaked. */
export async function rotateSecret(
  db: Queryable,
  id: string,
  overlapHours: number = defaultRotationHours,
  owner?: string,
): Promise<Webhook & { secret: string }> {
  const secret = makeSecret();
  const [webhook] = isId(id) ? await run(db, rotateSecretStatement, [id, owner, secret, overlapHours]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return { ...webhook, secret };
}

const deleteWebhookStatement = statement<Webhook>(
  'delete-webhook',
  `
DELETE FROM webhooks hook WHERE id = $1 AND ($2::text IS NULL OR user_id = $2) RETURNING ${webhookColumns('hook')}`,
);

/** Deletes a webhook. Nothing more is sent, and its deliveries are pruned. */
export async function deleteWebhook(db: Queryable, id: string, owner?: string): Promise<Webhook> {
  const [webhook] = isId(id) ? await run(db, deleteWebhookStatement, [id, owner]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return webhook;
}
