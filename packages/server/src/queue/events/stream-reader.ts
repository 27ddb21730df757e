import type { Queryable } from '../../base/database/statement.ts';
import { type EventBatch, type EventFilter, readEventStream } from './event-stream.ts';
import type { StreamPosition } from './stream-position.ts';

const batchSize = 1_000;
const smallestRange = 16;
const firstRange = 4_096;
const largestRange = 2 ** 40;

/**
 * Reads on in the stream of events from where it stands. Of a stream that is far ahead it takes no more transactions at a
 * time than about a batch comes from: what a read sorts stays small, however much happened meanwhile.
 */
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

  /** The next batch, and whether it ends where the stream does now. */
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
