import { type DeliveryStatus, HoldfastError, type WebhookDelivery } from '@holdfast/contract';
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

/**
 * Dead ones have an index of their own; the others are what most rows are, or few. A row of two, not an equality: with one,
 * PostgreSQL may walk through the deliveries of all webhooks in the order of ids.
 */
const ways = {
  any: '$2::text IS NULL',
  dead: `status = 'dead' AND $2::text = 'dead'`,
  other: 'status::text = $2',
};

const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const listStatements = Object.fromEntries(
  Object.entries(ways).map(([way, condition]) => [
    way,
    statement<WebhookDelivery>(
      `list-deliveries-${way}`,
      `
SELECT ${deliveryColumns('delivery')} FROM webhook_deliveries delivery
WHERE (webhook_id, id) < ($1, $3) AND webhook_id >= $1 AND ${condition}
ORDER BY webhook_id DESC, id DESC LIMIT $4`,
    ),
  ]),
) as Record<keyof typeof ways, ReturnType<typeof statement<WebhookDelivery>>>;

/** Of a webhook, the newest first. */
export function listDeliveries(
  db: Queryable,
  webhookId: string,
  { status, limit, after }: DeliveryFilter,
): Promise<WebhookDelivery[]> {
  const way = status === undefined ? 'any' : status === 'dead' ? 'dead' : 'other';
  return run(db, listStatements[way], [webhookId, status, after ?? last, limit]);
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
