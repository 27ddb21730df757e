import { type Queryable, run, statement } from '../../base/database/statement.ts';

/* Counts from the last attempt, so that replayed deliveries stay as long as new ones. Includes those of disabled webhooks. */
export const pruneDeliveriesStatement = statement<{ last: string | null; seen: number; pruned: number }>(
  'prune-deliveries',
  `
WITH stretch AS MATERIALIZED (
  SELECT id, next_attempt_at < now() - make_interval(days => $2) AS old FROM webhook_deliveries
  WHERE id > $1 AND id < rpad(
    lpad(to_hex((extract(epoch FROM now() - make_interval(days => $2)) * 1000)::bigint), 12, '0'), 32, '0')::uuid
  ORDER BY id LIMIT $3
),
pruned AS (
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE id = ANY (ARRAY(SELECT id FROM stretch WHERE old))
      AND next_attempt_at < now() - make_interval(days => $2)
    FOR UPDATE SKIP LOCKED))
  RETURNING id
)
SELECT (SELECT id FROM stretch ORDER BY id DESC LIMIT 1) AS last, (SELECT count(*) FROM stretch)::int AS seen,
  (SELECT count(*) FROM pruned)::int AS pruned`,
);

/* Skips from webhook to webhook along the index instead of reading every row. */
const orphanedStatement = statement<{ webhook_id: string }>(
  'find-orphaned-deliveries',
  `
WITH RECURSIVE known AS (
  (SELECT webhook_id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > known.webhook_id ORDER BY webhook_id LIMIT 1)
  FROM known WHERE known.webhook_id IS NOT NULL
)
SELECT webhook_id FROM known WHERE webhook_id IS NOT NULL AND NOT EXISTS (SELECT FROM webhooks WHERE id = webhook_id)`,
);

const deleteOrphansStatement = statement<{ id: string }>(
  'delete-orphaned-deliveries',
  `
DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries WHERE webhook_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING id`,
);

const nil = '00000000-0000-0000-0000-000000000000';

/** Deletes deliveries older than the retention time and those of deleted webhooks, in batches. */
export async function pruneDeliveries(
  db: Queryable,
  retentionDays: number,
  { batch = 1000, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let pruned = 0;
  for (const { webhook_id } of await run(db, orphanedStatement)) {
    for (let gone = batch; gone === batch && !signal?.aborted; ) {
      gone = (await run(db, deleteOrphansStatement, [webhook_id, batch])).length;
      pruned += gone;
    }
  }
  if (retentionDays === 0) return pruned;
  for (let after = nil; !signal?.aborted; ) {
    const [row] = await run(db, pruneDeliveriesStatement, [after, retentionDays, batch]);
    pruned += row?.pruned ?? 0;
    if (!row?.last || row.seen < batch) break;
    after = row.last;
  }
  return pruned;
}
