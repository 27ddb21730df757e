/**
 * A place in the stream of all events: behind this event. Transactions do not commit in the order of their numbers, so a
 * reader goes no further than below the oldest one that still runs; what lies before a position is final.
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

/** As clients carry it: the id of a message. */
export function formatPosition({ tx, job_id, event_no }: StreamPosition): string {
  return `${tx}.${job_id}.${event_no}`;
}

const pattern = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})$/;

export function parsePosition(text: string): StreamPosition | undefined {
  const [, tx, job_id, event_no] = pattern.exec(text) ?? [];
  if (tx === undefined || job_id === undefined) return undefined;
  return { tx: Number(tx), job_id, event_no: Number(event_no) };
}
