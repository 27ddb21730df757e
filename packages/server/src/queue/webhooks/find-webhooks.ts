import type { Webhook } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { mostCounted } from './find-deliveries.ts';

/** The columns of a Webhook, read from the named table. Its secrets are not among them. */
export const webhookColumns = (hook: string) => `
  ${hook}.id, ${hook}.user_id, ${hook}.url, ${hook}.description, ${hook}.events::text[] AS events, ${hook}.enabled,
  ${hook}.disabled_reason, ${hook}.failing_since,
  CASE WHEN ${hook}.previous_expires_at > now() THEN ${hook}.previous_expires_at END AS previous_secret_until,
  ${hook}.created_at, ${hook}.updated_at`;

const findWebhookStatement = statement<Webhook>(
  'find-webhook',
  `
SELECT ${webhookColumns('hook')} FROM webhooks hook WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)`,
);

const countDeliveriesStatement = statement<{ pending: number; dead: number; next: Date | null }>(
  'count-deliveries',
  `
SELECT
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries
    WHERE webhook_id = $1 AND status = 'pending' LIMIT ${mostCounted}) pending)::int AS pending,
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries
    WHERE webhook_id = $1 AND status = 'dead' LIMIT ${mostCounted}) dead)::int AS dead,
  (SELECT greatest(hook.not_before, (SELECT min(next_attempt_at) FROM webhook_deliveries
    WHERE webhook_id = $1 AND status = 'pending')) FROM webhooks hook WHERE id = $1 AND enabled) AS next`,
);

/** With an owner, finds only theirs. */
export async function findWebhook(db: Queryable, id: string, owner?: string): Promise<Webhook> {
  const [webhook] = isId(id) ? await run(db, findWebhookStatement, [id, owner]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return webhook;
}

export interface ShownWebhook extends Webhook {
  /** Counted up to 10,000 each. */
  deliveries: { pending: number; dead: number };
  /** The next attempt of any of its deliveries; null if none is pending or the webhook is disabled. */
  next_attempt_at: Date | null;
}

export async function showWebhook(db: Queryable, id: string, owner?: string): Promise<ShownWebhook> {
  const webhook = await findWebhook(db, id, owner);
  const [{ pending, dead, next } = { pending: 0, dead: 0, next: null }] = await run(
    db,
    countDeliveriesStatement,
    [id],
  );
  return { ...webhook, deliveries: { pending, dead }, next_attempt_at: pending > 0 ? next : null };
}

interface WebhookFilter {
  readonly enabled?: boolean | undefined;
  readonly limit: number;
  /** Cursor: id of the last webhook on the previous page. */
  readonly after?: string | undefined;
}

const listWebhooksStatement = statement<Webhook>(
  'list-webhooks',
  `
SELECT ${webhookColumns('hook')} FROM webhooks hook
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::boolean IS NULL OR enabled = $2) AND ($3::uuid IS NULL OR id < $3)
ORDER BY id DESC LIMIT $4`,
);

/** Newest first; with an owner, only theirs. */
export function listWebhooks(db: Queryable, filter: WebhookFilter, owner?: string): Promise<Webhook[]> {
  return run(db, listWebhooksStatement, [owner, filter.enabled, filter.after, filter.limit]);
}
