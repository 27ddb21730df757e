import { type DeliveryStatus, HoldfastError, type WebhookDelivery } from '@holdfast/contract';
import type { SearchPage } from '../../base/database/bounded-search.ts';
import { isId } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

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

/** Pending and dead ones have an index of their own. */
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
} as const;

/**
 * Delivered are most, and are looked for among a part of all at a time. Each row has the last one that was looked at, unless
 * there are no more or those found tell it; a row of nulls if none is found.
 */
export const listDeliveredStatement = statement<
  ({ id: null } | WebhookDelivery) & { looked_to: string | null }
>(
  'list-delivered-deliveries',
  `
WITH found AS MATERIALIZED (
  SELECT ${deliveryColumns('delivery')} FROM (${ofWebhook('*', 'true')} LIMIT ${mostLookedAt}) delivery
  WHERE status = 'delivered' ORDER BY webhook_id DESC, id DESC LIMIT $3
),
looked_to AS MATERIALIZED (
  ${ofWebhook('id', '(SELECT count(*) FROM found) < $3')} OFFSET ${mostLookedAt - 1} LIMIT 1
)
SELECT found.*, looked_to.id AS looked_to
FROM (SELECT) AS one LEFT JOIN found ON true LEFT JOIN looked_to ON true
ORDER BY found.id DESC`,
);

const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** A part of the deliveries of a webhook, the newest first. */
export async function listDeliveries(
  db: Queryable,
  webhookId: string,
  { status, limit, after = last }: DeliveryFilter,
): Promise<SearchPage<WebhookDelivery>> {
  const range = [webhookId, after, limit];
  if (status !== 'delivered') return pageOf(await run(db, listStatements[status ?? 'any'], range), limit);
  const found = await run(db, listDeliveredStatement, range);
  const rows = found.flatMap(({ looked_to, ...delivery }) => (delivery.id === null ? [] : delivery));
  return pageOf(rows, limit, found[0]?.looked_to ?? null);
}

function pageOf(
  rows: WebhookDelivery[],
  limit: number,
  lookedTo: string | null = null,
): SearchPage<WebhookDelivery> {
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : lookedTo };
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
