import type { JobKind, JobStatus, StreamEvent } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/**
 * A place in the stream of all events, just after this event. Transactions do not commit in the order of their numbers, so
 * readers stop below the oldest one still running: everything before a position is final.
 */
export interface StreamPosition {
  readonly tx: number;
  readonly job_id: string;
  readonly event_no: number;
}

const nil = '00000000-0000-0000-0000-000000000000';

/** Before every event of the transaction with this number. */
export function beforeTransaction(tx: number): StreamPosition {
  return { tx, job_id: nil, event_no: 0 };
}

export function comparePositions(a: StreamPosition, b: StreamPosition): number {
  if (a.tx !== b.tx) return a.tx - b.tx;
  if (a.job_id !== b.job_id) return a.job_id < b.job_id ? -1 : 1;
  return a.event_no - b.event_no;
}

/** The form in which clients send it back: the id of an SSE message. */
export function formatPosition({ tx, job_id, event_no }: StreamPosition): string {
  return `${tx}.${job_id}.${event_no}`;
}

const pattern = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})$/;

export function parsePosition(text: string): StreamPosition | undefined {
  const [, tx, job_id, event_no] = pattern.exec(text) ?? [];
  if (tx === undefined || job_id === undefined) return undefined;
  return { tx: Number(tx), job_id, event_no: Number(event_no) };
}

export interface EventFilter {
  readonly kind?: JobKind | undefined;
  /** Statuses that the events led to. */
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly job?: string | undefined;
  /** Owner of the jobs. */
  readonly userId?: string | undefined;
}

export type PlacedEvent = StreamEvent & { readonly tx: number };

interface EventBatch {
  readonly events: PlacedEvent[];
  /** Everything up to here has been read. */
  readonly position: StreamPosition;
  /** The oldest transaction still running; nothing beyond it is read. */
  readonly horizon: number;
  /** Whether open transactions hold back events. */
  readonly waiting: boolean;
}

type Row = { horizon: number; waiting: boolean } & ({ tx: null } | PlacedEvent);

const eventColumns =
  'event.tx, event.job_id, event.event_no, event.transition, event.from_status, event.to_status, event.fence, event.at, event.actor, event.reason';

/*
 * One snapshot decides what is final and reads it. The summary index finds the range of transactions; its rows are then sorted,
 * so a reader far behind takes a bounded range at a time. OFFSET 0 keeps the planner from scanning all jobs when its statistics
 * are stale.
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

interface ReadOptions {
  readonly limit: number;
  /** How many transactions to read. */
  readonly range: number;
  readonly filter?: EventFilter;
}

/** The final events after a position, in stream order, up to the limit. */
async function readEventStream(
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

/** The current end of the stream. */
export async function readHorizon(db: Queryable): Promise<StreamPosition> {
  const [row] = await run(db, horizonStatement);
  return beforeTransaction(row?.horizon ?? 0);
}

const batchSize = 1_000;
const smallestRange = 16;
const firstRange = 4_096;
const largestRange = 2 ** 40;

/** Reads the stream batch by batch. Adapts the range of transactions to the batch, so that a read never sorts much more. */
export class StreamReader {
  readonly #db: Queryable;
  readonly #filter: EventFilter;
  #range = firstRange;
  position: StreamPosition;

  constructor(db: Queryable, position: StreamPosition, filter: EventFilter = {}) {
    this.#db = db;
    this.position = position;
    this.#filter = filter;
  }

  /** The next batch, and whether it reaches the current end of the stream. */
  async read(): Promise<EventBatch & { readonly isLast: boolean }> {
    const end = this.position.tx + this.#range;
    const batch = await readEventStream(this.#db, this.position, {
      limit: batchSize,
      range: this.#range,
      filter: this.#filter,
    });
    this.position = batch.position;
    const isFull = batch.events.length === batchSize;
    if (isFull) this.#range = Math.max(smallestRange, Math.floor(this.#range / 2));
    else if (batch.horizon > end) this.#range = Math.min(largestRange, this.#range * 4);
    return { ...batch, isLast: !isFull && batch.horizon <= end };
  }
}
