import { HoldfastError, type ReplayFilter, replayFilter, type WebhookDelivery } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { idAt, isId } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { deliveryColumns } from './find-deliveries.ts';
import { findWebhook } from './find-webhooks.ts';
import { endBackoff, inFront } from './try-at-once.ts';

const anew = (nextAttempt: string) =>
  `status = 'pending', attempts = 0, next_attempt_at = ${nextAttempt}, delivered_at = NULL`;

/* One that is being sent just now is left to whoever does so: it must not be sent by two at once. */
const replayOneStatement = statement<WebhookDelivery>(
  'replay-delivery',
  `
WITH delivery AS (
  UPDATE webhook_deliveries SET ${anew(inFront('$2'))}
  WHERE id = $1 AND webhook_id = $2 AND lease_expires_at > now() IS NOT TRUE
    AND EXISTS (SELECT FROM webhooks WHERE id = $2 AND enabled)
  RETURNING *
),
tried AS (${endBackoff('$2')} AND EXISTS (SELECT FROM delivery))
SELECT ${deliveryColumns('delivery', 'delivery.next_attempt_at')} FROM delivery`,
);

const endBackoffStatement = statement<never>('end-webhook-backoff', endBackoff('$1'));

const showStatement = statement<WebhookDelivery>(
  'show-delivery',
  `SELECT ${deliveryColumns('delivery')} FROM webhook_deliveries delivery WHERE id = $1 AND webhook_id = $2`,
);

/** Sends a delivery again, with the same id: at once, as a test is, whatever became of it. */
export async function replayDelivery(db: Queryable, webhookId: string, id: string): Promise<WebhookDelivery> {
  if (!isId(id)) throw new HoldfastError('delivery_not_found', id);
  const [replayed] = await run(db, replayOneStatement, [id, webhookId]);
  if (replayed) return replayed;
  const [delivery] = await run(db, showStatement, [id, webhookId]);
  if (!delivery) throw new HoldfastError('delivery_not_found', id);
  const { enabled, disabled_reason } = await findWebhook(db, webhookId);
  if (!enabled) throw new HoldfastError('webhook_disabled', disabled_reason ?? undefined);
  return delivery;
}

/* A row of two, not an equality: with one, PostgreSQL may walk through the deliveries of all webhooks in the order of ids. */
const replayStatement = (name: string, condition: string) =>
  statement<{ last: string | null; seen: number; replayed: number }>(
    name,
    `
WITH stretch AS MATERIALIZED (
  SELECT id FROM webhook_deliveries
  WHERE (webhook_id, id) > ($1, $2) AND webhook_id <= $1 AND ${condition}
  ORDER BY webhook_id, id LIMIT $3 FOR UPDATE
),
replayed AS (
  UPDATE webhook_deliveries SET ${anew('now()')}
  WHERE id = ANY (ARRAY(SELECT id FROM stretch)) AND status IN ('delivered', 'dead')
  RETURNING id
)
SELECT (SELECT id FROM stretch ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM stretch)::int AS seen,
  (SELECT count(*) FROM replayed)::int AS replayed`,
  );
export const replayDeadStatement = replayStatement('replay-dead-deliveries', `status = 'dead'`);
export const replayAnyStatement = replayStatement('replay-deliveries', 'true');

const nil = '00000000-0000-0000-0000-000000000000';

export interface Replayed {
  readonly replayed: number;
  /** Not null: there was no time for more; go on behind it. */
  readonly next: string | null;
}

/**
 * Sends dead deliveries again, or all since a time; a batch at a time, however many they are. They wait for their turn, but
 * not for a receiver that failed before: it is tried anew.
 */
export async function replayDeliveries(
  db: Queryable,
  webhookId: string,
  filter: ReplayFilter,
  options: ReplayOptions = {},
): Promise<Replayed> {
  const done = await replayInBatches(db, webhookId, filter, options);
  // Once, not with each batch: between two of them the receiver may have failed again.
  if (done.replayed > 0) await run(db, endBackoffStatement, [webhookId]);
  return done;
}

export interface ReplayOptions {
  readonly after?: string;
  readonly batch?: number;
  readonly forMs?: number;
}

async function replayInBatches(
  db: Queryable,
  webhookId: string,
  filter: ReplayFilter,
  { after = nil, batch = 1000, forMs = Number.POSITIVE_INFINITY }: ReplayOptions,
): Promise<Replayed> {
  const { status, since } = checked(replayFilter, filter);
  if (status === 'any' && since === undefined)
    throw new HoldfastError('bad_request', 'since must be given to send again what was delivered', {
      details: [{ field: 'since', message: 'must be given with status any' }],
    });
  const until = performance.now() + forMs;
  const replay = status === 'dead' ? replayDeadStatement : replayAnyStatement;
  let replayed = 0;
  const first = since === undefined ? nil : idAt(since);
  for (let last = after.toLowerCase() > first ? after : first; ; ) {
    const [row] = await run(db, replay, [webhookId, last, batch]);
    replayed += row?.replayed ?? 0;
    if (!row?.last || row.seen < batch) return { replayed, next: null };
    last = row.last;
    if (performance.now() > until) return { replayed, next: last };
  }
}
