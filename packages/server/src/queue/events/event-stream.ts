import type { JobKind, JobStatus, StreamEvent } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { beforeTransaction, type StreamPosition } from './stream-position.ts';

export interface EventFilter {
  readonly kind?: JobKind | undefined;
  /** Statuses that events led to. */
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly job?: string | undefined;
  /** Owner of the jobs. */
  readonly userId?: string | undefined;
}

export type PlacedEvent = StreamEvent & { readonly tx: number };

export interface EventBatch {
  readonly events: PlacedEvent[];
  /** Everything up to here has been read. */
  readonly position: StreamPosition;
  /** The oldest transaction that still runs: nothing beyond it is read. */
  readonly horizon: number;
  /** Whether transactions are under way whose events, or later ones, are held back. */
  readonly waiting: boolean;
}

type Row = { horizon: number; waiting: boolean } & ({ tx: null } | PlacedEvent);

const eventColumns =
  'event.tx, event.job_id, event.event_no, event.transition, event.from_status, event.to_status, event.fence, event.at, event.actor, event.reason';

/*
 * One snapshot decides what is final and shows it. The range of transactions is found by the summary index; inside it the
 * rows are sorted, so a reader far behind takes a bounded range at a time. OFFSET 0: with stale statistics the planner would
 * go through all jobs instead and look for events of each.
 */
export const readStreamStatement = statement<Row>(
  'read-event-stream',
  `
WITH stream AS MATERIALIZED (
  SELECT pg_snapshot_xmin(now)::text::bigint AS horizon, pg_snapshot_xmin(now) <> pg_snapshot_xmax(now) AS waiting
  FROM pg_current_snapshot() AS now
)
SELECT stream.horizon, stream.waiting, ${eventColumns}, event.kind, event.user_id
FROM stream LEFT JOIN LATERAL (
  SELECT ${eventColumns}, job.kind, job.user_id
  FROM job_events event
  CROSS JOIN LATERAL (SELECT kind, user_id FROM crawl_jobs WHERE id = event.job_id OFFSET 0) job
  WHERE event.tx >= $1 AND event.tx < least(stream.horizon, $4::bigint)
    AND (event.tx, event.job_id, event.event_no) > ($1, $2::uuid, $3::integer)
    AND ($6::uuid IS NULL OR event.job_id = $6) AND ($7::job_status[] IS NULL OR event.to_status = ANY ($7))
    AND ($8::job_kind IS NULL OR job.kind = $8) AND ($9::text IS NULL OR job.user_id = $9)
  ORDER BY event.tx, event.job_id, event.event_no LIMIT $5
) event ON true
ORDER BY event.tx, event.job_id, event.event_no`,
);

export interface ReadOptions {
  readonly limit: number;
  /** How many transactions to look at. */
  readonly range: number;
  readonly filter?: EventFilter;
}

/** The events behind a position, in the order of the stream: as many as fit, of those that are final. */
export async function readEventStream(
  db: Queryable,
  after: StreamPosition,
  { limit, range, filter = {} }: ReadOptions,
): Promise<EventBatch> {
  const end = after.tx + range;
  const { kind, statuses, job, userId } = filter;
  const values = [after.tx, after.job_id, after.event_no, end, limit, job, statuses, kind, userId];
  const rows = await run(db, readStreamStatement, values);
  const [{ horizon, waiting } = { horizon: 0, waiting: true }] = rows;
  const events: PlacedEvent[] = [];
  for (const { horizon: _, waiting: __, ...event } of rows)
    if (event.tx !== null) events.push(event as PlacedEvent);
  const last = events.at(-1);
  if (last && events.length === limit) return { events, position: placeOf(last), horizon, waiting };
  const reached = beforeTransaction(Math.min(horizon, end));
  return { events, position: reached.tx > after.tx ? reached : after, horizon, waiting };
}

export function placeOf({ tx, job_id, event_no }: PlacedEvent): StreamPosition {
  return { tx, job_id, event_no };
}

const horizonStatement = statement<{ horizon: number }>(
  'read-event-horizon',
  'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon',
);

/** Where the stream ends now. */
export async function readHorizon(db: Queryable): Promise<StreamPosition> {
  const [row] = await run(db, horizonStatement);
  return beforeTransaction(row?.horizon ?? 0);
}
