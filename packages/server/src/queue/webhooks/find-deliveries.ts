import { type DeliveryStatus, HoldfastError, type WebhookDelivery } from '@holdfast/contract';
import type { SearchPage } from '../../base/database/bounded-search.ts';
import { isId } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** SQL: the next attempt. A failing webhook delays all its deliveries, and a disabled one gets none. */
const really = (delivery: string) => `
  (SELECT greatest(${delivery}.next_attempt_at, hook.not_before) FROM webhooks hook
   WHERE hook.id = ${delivery}.webhook_id AND hook.enabled)`;

export const deliveryColumns = (delivery: string, next = really(delivery)) => `
  ${delivery}.id, ${delivery}.webhook_id, ${delivery}.event, ${delivery}.status, ${delivery}.attempts,
  ${delivery}.created_at, CASE WHEN ${delivery}.status = 'pending' THEN ${next} END AS next_attempt_at,
  ${delivery}.last_attempt_at, ${delivery}.last_status, ${delivery}.last_error, ${delivery}.delivered_at`;

interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
  /** Cursor: id of the last delivery on the previous page. */
  readonly after?: string | undefined;
}

/** Rows that one call reads at most. */
const mostLookedAt = 2_500;

/* A row comparison, not an equality: with that, PostgreSQL may walk the deliveries of all webhooks in id order. */
const ofWebhook = (columns: string, condition: string) => `
SELECT ${columns} FROM webhook_deliveries delivery
WHERE (webhook_id, id) < ($1, $2) AND webhook_id >= $1 AND ${condition}
ORDER BY webhook_id DESC, id DESC`;

/** Pending and dead deliveries have indexes of their own. */
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
 * Most deliveries are delivered and have no index, so a call searches a limited number of rows. `looked_to`: the last row searched,
 * if the search stopped early. Without a match, the single row has a null id.
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

/** A page of the deliveries of a webhook, newest first. */
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

interface ShownDelivery extends WebhookDelivery {
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

/** Deliveries and webhooks of all owners. */
export interface Backlog {
  /** Counted up to `mostCounted`, like `dead` and `held`. */
  readonly pending: number;
  readonly dead: number;
  /** Pending deliveries of disabled webhooks. */
  readonly held: number;
  readonly enabled: number;
  readonly failing: number;
  readonly disabled: number;
}

/** Counting stops here: nobody needs a more exact number, and counting a million rows takes time. */
export const mostCounted = 10_000;

const backlogStatement = statement<Backlog>(
  'webhook-backlog',
  `
SELECT
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE status = 'pending' LIMIT ${mostCounted}) pending)::int
    AS pending,
  (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE status = 'dead' LIMIT ${mostCounted}) dead)::int AS dead,
  (SELECT count(*) FROM (SELECT FROM webhooks hook JOIN webhook_deliveries delivery ON delivery.webhook_id = hook.id
    WHERE NOT hook.enabled AND delivery.status = 'pending' LIMIT ${mostCounted}) held)::int AS held,
  count(*) FILTER (WHERE enabled)::int AS enabled,
  count(*) FILTER (WHERE enabled AND failing_since IS NOT NULL)::int AS failing,
  count(*) FILTER (WHERE NOT enabled)::int AS disabled
FROM webhooks`,
);

const none: Backlog = { pending: 0, dead: 0, held: 0, enabled: 0, failing: 0, disabled: 0 };

export async function readBacklog(db: Queryable): Promise<Backlog> {
  return (await run(db, backlogStatement))[0] ?? none;
}
