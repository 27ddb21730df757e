import { type Webhook, type WebhookChange, webhookChange } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { checkTarget } from './check-target.ts';
import { webhookColumns } from './find-webhooks.ts';

/* Another URL, or somebody who enables it: what went wrong before counts no more, and nothing waits for it. */
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

/** Changes the named fields. What is waiting goes where the webhook then leads. */
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
