import { HoldfastError, type HostCause } from '@holdfast/contract';
import { openSources } from '../sources/open-sources.ts';
import { readSourceStates, recordCrawlDelay, type WatchedSource } from '../sources/source-state.ts';
import type { Answer, DatabaseLink } from './database-link.ts';
import type { GovernedSource } from './governed-source.ts';
import { Permit, type Refusal } from './permit.ts';
import type { SourceDirectory } from './source-directory.ts';
import { SourceSeat } from './source-seat.ts';
import { releaseShares, renewShares } from './source-shares.ts';

export interface RunOptions {
  readonly link: DatabaseLink;
  readonly directory: SourceDirectory;
  readonly shareTtlMs: number;
  /** Each failed request counts as the source's failure; in a crawl it may be the page's. */
  readonly everyCounts: boolean;
  readonly onClose: (run: GovernedRun) => Promise<void>;
}

const renewGatherMs = 5;
const loadingMs = 1_000;
/** A source that was not requested for this time is released. */
const idleMs = 5_000;

/** One run's requests to sources. Nothing here waits: what is missing is loaded, and announced when it is there. */
export class GovernedRun {
  readonly id: string;
  readonly everyCounts: boolean;
  readonly #options: RunOptions;
  readonly #seats = new Map<string, SourceSeat>();
  readonly #bySource = new Map<GovernedSource, SourceSeat>();
  readonly #loading = new Set<string>();
  readonly #onReady = new Set<(host: string) => void>();
  #renewTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #looking: Promise<Answer<WatchedSource> | undefined> | undefined;
  #closed = false;

  constructor(id: string, options: RunOptions) {
    this.id = id;
    this.everyCounts = options.everyCounts;
    this.#options = options;
  }

  /** Asks to start a request to a host now. Only a lookup while the host's source has no limit. */
  tryAcquire(host: string): Permit | Refusal {
    const now = this.now();
    const seat = this.#seats.get(host);
    if (seat === undefined) return this.#load(host, now);
    seat.lastAskedAt = now;
    const { source } = seat;
    if (source.free && seat.hasRoom(now)) {
      seat.start(host);
      return new Permit(seat);
    }
    // Without room a slot would be reserved in vain.
    const hasRoom = seat.hasRoom(now);
    const refusal = hasRoom ? source.refusal(now) : source.pause(now);
    if (refusal || !hasRoom) return seat.refuse(host, refusal, now);
    seat.start(host);
    return new Permit(seat, source.free ? undefined : source.take());
  }

  /** Calls back when a host that was refused may be requested again. Returns a function that unsubscribes. */
  onReady(callback: (host: string) => void): () => void {
    this.#onReady.add(callback);
    return () => this.#onReady.delete(callback);
  }

  /** The monotonic time before which no request to the host can start; 0 if no limit is known. */
  blockedUntil(host: string): number {
    return this.#seats.get(host)?.source.blockedUntil(this.now()) ?? 0;
  }

  /** The source of the host, if known, and what holds it back now. */
  heldBy(
    host: string,
  ): { readonly sourceId: string; readonly cause: HostCause; readonly isKnown: boolean } | undefined {
    const source = this.#seats.get(host)?.source;
    return source && { sourceId: source.id, ...source.heldBy };
  }

  /** Reads the state of the host's source now: it may have been resumed since the last turn. */
  async lookAgain(host: string): Promise<void> {
    const source = this.#seats.get(host)?.source;
    if (!source) return;
    this.#looking ??= this.#options.link.ask((db) =>
      readSourceStates(
        db,
        [...this.#bySource.keys()].map(({ id }) => id),
      ),
    );
    const looking = this.#looking;
    const heard = await looking;
    if (this.#looking === looking) this.#looking = undefined;
    const state = heard?.rows.find(({ source_id }) => source_id === source.id);
    if (heard && state) source.learn(state, heard.sentAt);
  }

  /** Whether the host is known to refuse requests because there are too many. */
  isOverloaded(host: string): boolean {
    return this.#seats.get(host)?.source.isOverloaded ?? false;
  }

  /** Stores the Crawl-delay of a host for all workers; null: none. Throws if it could not be stored. */
  async recordCrawlDelay(host: string, seconds: number | null): Promise<void> {
    const { link, directory } = this.#options;
    const opened = directory.find(host) ? undefined : await link.ask((db) => openSources(db, [host]));
    const sourceId = directory.find(host)?.id ?? opened?.rows[0]?.source_id;
    const heard = sourceId && (await link.ask((db) => recordCrawlDelay(db, sourceId, seconds)));
    if (!heard) throw new HoldfastError('database_unavailable', `could not store the Crawl-delay of ${host}`);
    directory.find(host)?.learnWritten(heard.rows[0]);
  }

  /** Releases the shares and writes the last reports. Requests in flight may end later. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#renewTimer);
    await this.#renewing;
    const seats = [...this.#bySource.values()];
    this.#leave(seats);
    await this.#release(seats);
    await this.#options.onClose(this);
  }

  now(): number {
    return this.#options.link.now();
  }

  /** Called by seats: the host may be requested again. */
  announce(host: string): void {
    if (!this.#closed) for (const callback of this.#onReady) callback(host);
  }

  /** Called by seats: a share is due for renewal. */
  renewSoon(): void {
    if (!this.#closed) this.#renewTimer ??= setTimeout(() => void this.renew(), renewGatherMs);
  }

  /** Renews the shares that are due, all in one statement. */
  renew(): Promise<void> {
    clearTimeout(this.#renewTimer);
    this.#renewTimer = undefined;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
      this.#renewAgain();
    });
    return this.#renewing;
  }

  /** These hosts now belong to other sources. */
  rebind(hosts: readonly string[]): void {
    for (const host of hosts) {
      const seat = this.#seats.get(host);
      if (!seat) continue;
      seat.forget(host);
      this.#seats.delete(host);
      this.announce(host);
    }
  }

  /** Releases sources that are no longer requested. */
  async releaseIdle(): Promise<void> {
    const before = this.now() - idleMs;
    const idle = [...this.#bySource.values()].filter(
      (seat) => seat.inFlight === 0 && !seat.isWaiting && seat.lastAskedAt < before,
    );
    if (idle.length === 0) return;
    this.#leave(idle);
    await this.#release(idle);
  }

  #load(host: string, now: number): Refusal {
    const refusal = { waitUntil: now + loadingMs, reason: 'loading' } as const;
    if (this.#closed || this.#loading.has(host)) return refusal;
    this.#loading.add(host);
    const known = this.#options.directory.find(host);
    if (known) this.#seat(host, known);
    else this.#options.directory.load(host, (source) => this.#seat(host, source));
    return refusal;
  }

  #seat(host: string, source: GovernedSource): void {
    this.#loading.delete(host);
    if (this.#closed) return;
    const seat = this.#bySource.get(source) ?? new SourceSeat(this, source);
    this.#bySource.set(source, seat);
    this.#seats.set(host, seat);
    seat.refuse(host, undefined, this.now());
    if (seat.runs === 0) this.renewSoon();
    else queueMicrotask(() => source.wake());
  }

  async #renew(): Promise<void> {
    const { link, shareTtlMs } = this.#options;
    const now = this.now();
    const due = [...this.#bySource.values()].filter((seat) => seat.renewAt <= now);
    if (due.length === 0) return;
    const asked = new Map(due.map((seat) => [seat.source.id, { seat, kept: seat.kept(now) }]));
    const seats = [...asked].map(([sourceId, { kept }]) => ({ sourceId, kept }));
    for (const seat of due) seat.renewAt = Number.POSITIVE_INFINITY;
    const heard = await link.ask((db) => renewShares(db, this.id, seats, shareTtlMs));
    // Until the answer is known.
    for (const seat of due) seat.renewAt = this.now() + loadingMs;
    for (const row of heard?.rows ?? []) {
      const { seat, kept } = asked.get(row.source_id) ?? {};
      if (!heard || !seat || kept === undefined) continue;
      seat.learnShare(row, kept, heard.sentAt + shareTtlMs);
      seat.source.learn(row, heard.sentAt);
      seat.source.wake();
    }
  }

  /** Schedules renewals that the governor's next turn would be too late for. */
  #renewAgain(): void {
    const next = Math.min(...[...this.#bySource.values()].map((seat) => seat.renewAt));
    const inMs = next - this.now();
    if (this.#closed || !(inMs < loadingMs)) return;
    this.#renewTimer ??= setTimeout(() => void this.renew(), Math.max(inMs, renewGatherMs));
  }

  #leave(seats: readonly SourceSeat[]): void {
    const left = new Set(seats);
    for (const [host, seat] of this.#seats) if (left.has(seat)) this.#seats.delete(host);
    for (const seat of seats) {
      this.#bySource.delete(seat.source);
      seat.source.seats.delete(seat);
    }
  }

  async #release(seats: readonly SourceSeat[]): Promise<void> {
    const ids = seats.map((seat) => seat.source.id);
    if (ids.length === 0) return;
    await this.#options.link.ask(async (db) => {
      await releaseShares(db, this.id, ids);
      return undefined;
    });
  }
}
