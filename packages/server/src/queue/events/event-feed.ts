import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { WakeSignal } from '../../base/process/wake-signal.ts';
import type { Listener } from '../jobs/notifications.ts';
import {
  comparePositions,
  type EventFilter,
  type PlacedEvent,
  placeOf,
  readHorizon,
  type StreamPosition,
  StreamReader,
} from './event-stream.ts';

export interface FeedOptions {
  readonly db: Queryable;
  /** Wakes the feed between polls. */
  readonly listener?: Pick<Listener, 'on'>;
  readonly log: Logger;
  readonly pollMs?: number;
}

export interface FedEvents {
  readonly events: PlacedEvent[];
  /** Everything before it has been delivered. */
  readonly position: StreamPosition;
  /** The follower's position is ahead of this database (another one, or a restored backup): it restarts at the end. */
  readonly reset?: true;
}

const keptEvents = 5_000;
const restMs = 50;
const firstLookMs = 100;

/**
 * The stream of all events, for any number of followers. One shared reader runs while there are any; a follower behind the
 * events kept in memory reads the database itself until it has caught up.
 */
export class EventFeed {
  readonly #options: FeedOptions;
  #run: FeedRun | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Events after a position, or from now on: each exactly once, in stream order. */
  async *follow(
    after: StreamPosition | undefined,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<FedEvents> {
    this.#run ??= new FeedRun(this.#options);
    const run = this.#run;
    run.followers++;
    try {
      yield* run.follow(after, filter, signal);
    } finally {
      run.followers--;
      if (run.followers === 0) {
        if (this.#run === run) this.#run = undefined;
        run.stop();
      }
    }
  }
}

class FeedRun {
  readonly #options: FeedOptions;
  readonly #stopping = new AbortController();
  /** Notified when there are new events. */
  readonly #news = new WakeSignal();
  readonly #wake = new WakeSignal();
  #isWoken = false;
  #kept: PlacedEvent[] = [];
  /** The events between start and tail are in memory. Undefined until the database has answered. */
  #start: StreamPosition | undefined;
  #tail: StreamPosition | undefined;
  followers = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    void this.#read();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async *follow(
    after: StreamPosition | undefined,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<FedEvents> {
    const now = await this.#untilAnswered(() => readHorizon(this.#options.db), signal);
    if (!now) return;
    const isForeign = after !== undefined && comparePositions(after, now) > 0;
    let position = isForeign || !after ? now : after;
    yield { events: [], position, ...(isForeign && { reset: true }) };
    let reader: StreamReader | undefined;
    while (!signal.aborted) {
      if (!this.#start || !this.#tail || comparePositions(position, this.#tail) >= 0) {
        await this.#news.wait(signal);
      } else if (comparePositions(position, this.#start) >= 0) {
        reader = undefined;
        const events = this.#keptAfter(position).filter((event) => matches(event, filter));
        position = this.#tail;
        yield { events, position };
      } else {
        reader ??= new StreamReader(this.#options.db, position, filter);
        const reading = reader;
        const batch = await this.#untilAnswered(() => reading.read(), signal);
        if (!batch) return;
        position = batch.position;
        yield { events: batch.events, position };
      }
    }
  }

  /** Binary search: the events are in stream order. */
  #keptAfter(position: StreamPosition): PlacedEvent[] {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = this.#kept[middle] as PlacedEvent;
      if (comparePositions(placeOf(event), position) > 0) high = middle;
      else low = middle + 1;
    }
    return this.#kept.slice(low);
  }

  async #read(): Promise<void> {
    const { db, listener, pollMs = 1_000 } = this.#options;
    const { signal } = this.#stopping;
    const wake = () => {
      this.#isWoken = true;
      this.#wake.notify();
    };
    const unsubscribe = [listener?.on('work', wake), listener?.on('request', wake)];
    const start = await this.#untilAnswered(() => readHorizon(db), signal);
    if (start) {
      this.#start = this.#tail = start;
      this.#news.notify();
      const reader = new StreamReader(db, start);
      let lookMs = pollMs;
      while (!signal.aborted) {
        const batch = await this.#untilAnswered(() => reader.read(), signal);
        if (!batch) break;
        this.#keep(batch.events);
        this.#tail = batch.position;
        this.#news.notify();
        if (!batch.isLast) continue;
        // An open transaction may commit any moment, so look again before the next poll.
        lookMs = batch.waiting ? Math.min(lookMs * 2, pollMs) : pollMs;
        if (!this.#isWoken) await this.#wake.wait(signal, lookMs);
        if (this.#isWoken) lookMs = firstLookMs;
        await rest(restMs, signal);
        this.#isWoken = false;
      }
    }
    for (const stop of unsubscribe) stop?.();
  }

  #keep(events: readonly PlacedEvent[]): void {
    this.#kept.push(...events);
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - keptEvents)).at(-1);
    if (dropped) this.#start = placeOf(dropped);
  }

  /** Repeats a read while the database is away. Undefined: aborted. */
  async #untilAnswered<Answer>(
    read: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer | undefined> {
    let isReported = false;
    while (!signal.aborted) {
      try {
        return await read();
      } catch (error) {
        if (!isReported) this.#options.log.warn({ err: error }, 'Events cannot be read; trying again');
        isReported = true;
        await rest(this.#options.pollMs ?? 1_000, signal);
      }
    }
    return undefined;
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

function matches(event: PlacedEvent, { kind, statuses, job, userId }: EventFilter): boolean {
  return (
    (kind === undefined || event.kind === kind) &&
    (statuses === undefined || statuses.includes(event.to_status)) &&
    (job === undefined || event.job_id === job) &&
    (userId === undefined || event.user_id === userId)
  );
}
