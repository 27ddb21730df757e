import { HoldfastError, type ReplayFilter, replayFilter } from '@holdfast/contract';
import { checked } from '../../base/checked.ts';
import { idAt } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { anew, endBackoff } from './deliver-now.ts';

const endBackoffStatement = statement<never>('end-webhook-backoff', endBackoff('$1'));

/* A row comparison, not an equality: with that, PostgreSQL may walk the deliveries of all webhooks in id order. */
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
  /** Where to continue if time ran out; null if done. */
  readonly next: string | null;
}

export interface ReplayOptions {
  readonly after?: string;
  readonly batch?: number;
  readonly forMs?: number;
}

/** Sends dead deliveries again, or all since a time, in batches. They queue like new ones, but the webhook's backoff ends. */
export async function replayDeliveries(
  db: Queryable,
  webhookId: string,
  filter: ReplayFilter,
  options: ReplayOptions = {},
): Promise<Replayed> {
  const done = await replayInBatches(db, webhookId, filter, options);
  // Once, not per batch: the receiver may fail again between two batches.
  if (done.replayed > 0) await run(db, endBackoffStatement, [webhookId]);
  return done;
}

async function replayInBatches(
  db: Queryable,
  webhookId: string,
  filter: ReplayFilter,
  { after = nil, batch = 1000, forMs = Number.POSITIVE_INFINITY }: ReplayOptions,
): Promise<Replayed> {
  const { status, since } = checked(replayFilter, filter);
  if (status === 'any' && since === undefined)
    throw new HoldfastError('bad_request', 'since is required to resend delivered deliveries', {
      details: [{ field: 'since', message: 'is required with status any' }],
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
