import { type DeliveryStatus, HoldfastError, type WebhookDelivery } from '@holdfast/contract';
import type { SearchPage } from '../database/look-through.ts';
import { type Queryable, run, statement } from '../database/statement.ts';
import { isId } from '../policies/find-policy.ts';

/** While a webhook fails, all that waits for it is held back; and nothing is sent to one that is disabled. */
const really = (delivery: string) => `
  (SELECT greatest(${delivery}.next_attempt_at, hook.not_before) FROM webhooks hook
   WHERE hook.id = ${delivery}.webhook_id AND hook.enabled)`;

export const deliveryColumns = (delivery: string, next = really(delivery)) => `
  ${delivery}.id, ${delivery}.webhook_id, ${delivery}.event, ${delivery}.status, ${delivery}.attempts,
  ${delivery}.created_at, CASE WHEN ${delivery}.status = 'pending' THEN ${next} END AS next_attempt_at,
  ${delivery}.last_attempt_at, ${delivery}.last_status, ${delivery}.last_error, ${delivery}.delivered_at`;

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Id of the last delivery of the page before. */
  readonly after?: string | undefined;
}

/** Rows that one call looks at. */
const mostLookedAt = 2_500;

/* A row of two, not an equality: with one, PostgreSQL may walk through the deliveries of all webhooks in the order of ids. */
const ofWebhook = (columns: string, condition: string) => `
SELECT ${columns} FROM webhook_deliveries delivery
WHERE (webhook_id, id) < ($1, $2) AND webhook_id >= $1 AND ${condition}
ORDER BY webhook_id DESC, id DESC`;

/** Pending and dead ones have an index of their own. Delivered are most, and are looked for among a part of all at a time. */
export const listStatements = {
  any: statement<WebhookDelivery>(
    'list-deliveries',
    `${ofWebhook(deliveryColumns('delivery'), 'true')} LIMIT $3`,
  ),
  pending: statement<WebhookDelivery>(
    'list-pending-deliveries',
    `${ofWebhook(deliveryColumns('delivery'), `status NOT IN ('delivered', 'dead')`)} LIMIT $3`,
  ),
  dead: statement<WebhookDelivery>(
    'list-dead-deliveries',
    `${ofWebhook(deliveryColumns('delivery'), `status = 'dead'`)} LIMIT $3`,
  ),
  delivered: statement<WebhookDelivery>(
    'list-delivered-deliveries',
    `
SELECT ${deliveryColumns('delivery')} FROM (${ofWebhook('*', 'true')} LIMIT ${mostLookedAt}) delivery
WHERE status = 'delivered' ORDER BY webhook_id DESC, id DESC LIMIT $3`,
  ),
} as const;

/** The last one that a call may look at; none if it has looked at all. */
export const lookedToStatement = statement<{ id: string }>(
  'deliveries-looked-to',
  `${ofWebhook('id', 'true')} OFFSET ${mostLookedAt - 1} LIMIT 1`,
);

const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A part of the deliveries of a webhook, the newest first. */
export async function listDeliveries(
  db: Queryable,
  webhookId: string,
  { status, limit, after = last }: DeliveryFilter,
): Promise<SearchPage<WebhookDelivery>> {
  const rows = await run(db, listStatements[status ?? 'any'], [webhookId, after, limit]);
  if (rows.length === limit) return { rows, next: rows.at(-1)?.id ?? null };
  if (status !== 'delivered') return { rows, next: null };
  const [lookedTo] = await run(db, lookedToStatement, [webhookId, after]);
  return { rows, next: lookedTo?.id ?? null };
}

export interface ShownDelivery extends WebhookDelivery {
  payload: Record<string, unknown>;
}

const findDeliveryStatement = statement<ShownDelivery>(
  'find-delivery',
  `
SELECT ${deliveryColumns('delivery')}, delivery.payload FROM webhook_deliveries delivery
WHERE id = $1 AND webhook_id = $2`,
);

export async function findDelivery(db: Queryable, webhookId: string, id: string): Promise<ShownDelivery> {
  const [delivery] = isId(id) ? await run(db, findDeliveryStatement, [id, webhookId]) : [];
  if (!delivery) throw new HoldfastError('delivery_not_found', id);
  return delivery;
}
