import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Of all owners. */
export interface Backlog {
  /** Of each, no more than `mostCounted` are counted. */
  readonly pending: number;
  readonly dead: number;
  /** Pending, of webhooks that are disabled; counted so far too. */
  readonly held: number;
  readonly enabled: number;
  readonly failing: number;
  readonly disabled: number;
}

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
