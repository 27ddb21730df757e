import type { Webhook } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** The columns of a Webhook, to be read from the named table; its secrets are none of them. */
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

/** Counting stops there: nobody needs to know more exactly, and a million rows take their time. */
const mostCounted = 10_000;

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

/** With an owner, others' webhooks are not there. */
export async function findWebhook(db: Queryable, id: string, owner?: string): Promise<Webhook> {
  const [webhook] = isId(id) ? await run(db, findWebhookStatement, [id, owner]) : [];
  if (!webhook) throw notFound('webhook_not_found', id);
  return webhook;
}

export interface ShownWebhook extends Webhook {
  /** Of each, at most 10,000 are counted. */
  deliveries: { pending: number; dead: number };
  /** Of what waits for it; null where nothing does, or it is disabled. */
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
