import { defaultRotationHours, type Webhook, type WebhookChange, webhookChange } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkTarget } from './create-webhook.ts';
import { webhookColumns } from './find-webhooks.ts';
import { makeSecret } from './send-delivery.ts';

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
