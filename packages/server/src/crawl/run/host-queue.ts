import type { FrontierEntry } from '../frontier/frontier-entry.ts';

/** The in-memory entries of one host: a range of the frontier, and delayed entries. */
export class HostQueue {
  readonly host: string;
  /** Everything up to this seq has been read. */
  readSeq: number;
  /** The database may have rows after readSeq. */
  hasMore = true;
  /** Counts checkpoints that added rows: one during a read may have added rows after those that were read. */
  growth = 0;
  /** Pages fetched or failed for good, in all runs. */
  pages: number;
  /** Requests in flight. */
  inFlight = 0;
  /** When an entry was last taken or put back, by the monotonic clock. */
  usedAt = Number.NEGATIVE_INFINITY;
  /** A read is under way. */
  reading = false;
  readonly #ready: FrontierEntry[] = [];
  #next = 0;
  #waiting: { entry: FrontierEntry; until: number }[] = [];
  readonly #open = new Set<number>();
  /** Rows from here on were skipped; a later run may need them. */
  #leftFrom = Number.POSITIVE_INFINITY;

  constructor(host: string, lowSeq: number, pages: number) {
    this.host = host;
    this.readSeq = Math.max(lowSeq - 1, 0);
    this.pages = pages;
  }

  get buffered(): number {
    return this.#ready.length - this.#next;
  }

  /** Nothing in memory, in flight, or left to read. */
  get isEmpty(): boolean {
    return this.#open.size === 0 && !this.hasMore && !this.reading;
  }

  /** Nothing is in flight, or done and not yet committed. */
  get isAtRest(): boolean {
    return this.#open.size === this.buffered + this.#waiting.length && !this.reading;
  }

  /** Rows in memory, or done and not yet committed. */
  get openCount(): number {
    return this.#open.size;
  }

  /** The database may have rows that were added since they were last read. */
  grew(): void {
    this.hasMore = true;
    this.growth++;
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

  /** The next entry, without removing it. Due delayed entries come first, because they were found earlier. */
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

  /** Skips an entry in this run; its row stays in the database. */
  leave(entry: FrontierEntry): void {
    this.take(entry);
    this.#open.delete(entry.seq);
    this.#leftFrom = Math.min(this.#leftFrom, entry.seq);
  }

  /** The next read leaves rows out. */
  leaveUnread(): void {
    this.#leftFrom = Math.min(this.#leftFrom, this.readSeq + 1);
  }

  /** Puts back an entry that failed, to be retried at this time. */
  postpone(entry: FrontierEntry, untilMs: number): void {
    this.usedAt = performance.now();
    this.#waiting.push({ entry, until: untilMs });
  }

  /** To be called once its page is committed: until then the database still has the row. */
  done(entry: { seq: number }): void {
    this.#open.delete(entry.seq);
  }

  /** When the first waiting entry is due. */
  get nextDue(): number {
    return this.#waiting.reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY);
  }

  /** The lowest seq that may still be live, where a resumed run starts reading. */
  get lowSeq(): number {
    let low = Math.min(this.readSeq + 1, this.#leftFrom);
    for (const seq of this.#open) if (seq < low) low = seq;
    return low;
  }
}
