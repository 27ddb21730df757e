import type { FrontierEntry } from '../frontier/frontier-entry.ts';

/** One host's share of the frontier that is in memory: a stretch read from the database, and what waits for a time. */
export class HostQueue {
  readonly host: string;
  /** Everything up to this seq has been read. */
  readSeq: number;
  /** The database may have rows behind readSeq. */
  hasMore = true;
  /** Counts the checkpoints that added rows: one that came during a read may have added behind what was read. */
  growth = 0;
  /** Pages that were fetched, or failed for good, in this run and those before. */
  pages: number;
  /** Requests under way. */
  inFlight = 0;
  /** When an entry was last taken or put back, by the monotonic clock. */
  usedAt = Number.NEGATIVE_INFINITY;
  /** A read is under way. */
  reading = false;
  readonly #ready: FrontierEntry[] = [];
  #next = 0;
  #waiting: { entry: FrontierEntry; until: number }[] = [];
  readonly #open = new Set<number>();
  /** Rows from here on were passed over: a later run may want them. */
  #leftFrom = Number.POSITIVE_INFINITY;

  constructor(host: string, lowSeq: number, pages: number) {
    this.host = host;
    this.readSeq = Math.max(lowSeq - 1, 0);
    this.pages = pages;
  }

  get buffered(): number {
    return this.#ready.length - this.#next;
  }

  /** Nothing in memory, nothing under way, nothing behind. */
  get isEmpty(): boolean {
    return this.#open.size === 0 && !this.hasMore && !this.reading;
  }

  /** Everything that is in memory waits here: nothing is under way, or done and not yet committed. */
  get isAtRest(): boolean {
    return this.#open.size === this.buffered + this.#waiting.length && !this.reading;
  }

  append(entries: readonly FrontierEntry[], nowMs: number): void {
    for (const entry of entries) {
      this.#open.add(entry.seq);
      this.readSeq = entry.seq;
      const wait = entry.wait_ms ?? 0;
      if (wait > 0) this.#waiting.push({ entry, until: nowMs + wait });
      else this.#ready.push(entry);
    }
  }

  /** The entry to be done next, without taking it. Those whose time has come go first: they were found earlier. */
  peek(nowMs: number): FrontierEntry | undefined {
    for (const { entry, until } of this.#waiting) if (until <= nowMs) return entry;
    return this.#ready[this.#next];
  }

  take(entry: FrontierEntry): void {
    this.usedAt = performance.now();
    if (this.#ready[this.#next] !== entry) {
      this.#waiting = this.#waiting.filter((waiting) => waiting.entry !== entry);
      return;
    }
    this.#next++;
    if (this.#next < 256) return;
    this.#ready.splice(0, this.#next);
    this.#next = 0;
  }

  /** Passed over for this run: its row stays in the database, and memory forgets it. */
  leave(entry: FrontierEntry): void {
    this.take(entry);
    this.#open.delete(entry.seq);
    this.#leftFrom = Math.min(this.#leftFrom, entry.seq);
  }

  /** What is read from here on leaves rows out. */
  leaveUnread(): void {
    this.#leftFrom = Math.min(this.#leftFrom, this.readSeq + 1);
  }

  /** Tried in vain; comes back at its time. */
  postpone(entry: FrontierEntry, untilMs: number): void {
    this.usedAt = performance.now();
    this.#waiting.push({ entry, until: untilMs });
  }

  /** Its page is committed. Not earlier: until then the database still has its row. */
  done(entry: { seq: number }): void {
    this.#open.delete(entry.seq);
  }

  /** When the first of those that wait is due. */
  get nextDue(): number {
    return this.#waiting.reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY);
  }

  /** The lowest seq that may still be live; a resumed run starts reading there. */
  get lowSeq(): number {
    let low = Math.min(this.readSeq + 1, this.#leftFrom);
    for (const seq of this.#open) if (seq < low) low = seq;
    return low;
  }
}
