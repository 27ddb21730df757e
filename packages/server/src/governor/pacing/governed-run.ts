import { HoldfastError, type HostCause } from '@holdfast/contract';
import { openSources } from '../sources/open-sources.ts';
import { readSourceStates, type WatchedSource } from '../sources/read-source-states.ts';
import { recordCrawlDelay } from '../sources/record-crawl-delay.ts';
import type { DatabaseLink, Heard } from './database-link.ts';
import type { GovernedSource } from './governed-source.ts';
import { Permit, type Refusal } from './permit.ts';
import { releaseShares } from './release-shares.ts';
import type { SourceDirectory } from './source-directory.ts';
import { SourceSeat } from './source-seat.ts';
import { renewShares } from './source-shares.ts';

export interface RunOptions {
  readonly link: DatabaseLink;
  readonly directory: SourceDirectory;
  readonly shareTtlMs: number;
  /** Its requests to a source are alike, so that each failure is the source's; a crawl's may be a page's. */
  readonly everyCounts: boolean;
  readonly onClose: (run: GovernedRun) => Promise<void>;
}

const renewGatherMs = 5;
const loadingMs = 1_000;
/** A source that was not asked for in this time is let go. */
const idleMs = 5_000;

/** One run's way to the outside. Nothing here waits: what is not there yet is fetched, and announced when it has come. */
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
  #looking: Promise<Heard<WatchedSource> | undefined> | undefined;
  #closed = false;

  constructor(id: string, options: RunOptions) {
    this.id = id;
    this.everyCounts = options.everyCounts;
    this.#options = options;
  }

  /** Whether a request to a host may start now. Costs no more than a look while the host's source has no limit. */
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
    // Without a place a slot would be reserved in vain.
    const hasRoom = seat.hasRoom(now);
    const refusal = hasRoom ? source.refusal(now) : source.pause(now);
    if (refusal || !hasRoom) return seat.refuse(host, refusal, now);
    seat.start(host);
    return new Permit(seat, source.free ? undefined : source.take());
  }

  /** `callback` is called when a host that was refused may be asked again. Returns how to stop that. */
  onReady(callback: (host: string) => void): () => void {
    this.#onReady.add(callback);
    return () => this.#onReady.delete(callback);
  }

  /** Monotonic: no request to the host can start before; 0 when nothing is known to hold it back. */
  blockedUntil(host: string): number {
    return this.#seats.get(host)?.source.blockedUntil(this.now()) ?? 0;
  }

  /** Which source the host belongs to, as far as is known, and what holds it back now. */
  heldBy(
    host: string,
  ): { readonly sourceId: string; readonly cause: HostCause; readonly isKnown: boolean } | undefined {
    const source = this.#seats.get(host)?.source;
    return source && { sourceId: source.id, ...source.heldBy };
  }

  /** Asks the database where the host's source stands: somebody may have resumed it since the last turn. */
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

  /** Whether the host is known to turn requests away because there are too many of them. */
  isOverloaded(host: string): boolean {
    return this.#seats.get(host)?.source.isOverloaded ?? false;
  }

  /** Keeps what a host's robots.txt asks for, for all workers; null: nothing. Fails if it could not be kept. */
  async recordCrawlDelay(host: string, seconds: number | null): Promise<void> {
    const { link, directory } = this.#options;
    const opened = directory.find(host) ? undefined : await link.ask((db) => openSources(db, [host]));
    const sourceId = directory.find(host)?.id ?? opened?.rows[0]?.source_id;
    const heard = sourceId && (await link.ask((db) => recordCrawlDelay(db, sourceId, seconds)));
    if (!heard)
      throw new HoldfastError('database_unavailable', `the Crawl-delay of ${host} could not be kept`);
    directory.find(host)?.learnWritten(heard.rows[0]);
  }

  /** Gives the shares back and writes what is left to report. Requests still under way may end later. */
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

  /** Called by seats: the host may be asked again. */
  announce(host: string): void {
    if (!this.#closed) for (const callback of this.#onReady) callback(host);
  }

  /** Called by seats: a share is to be divided anew. */
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

  /** These hosts belong to other sources by now. */
  rebind(hosts: readonly string[]): void {
    for (const host of hosts) {
      const seat = this.#seats.get(host);
      if (!seat) continue;
      seat.forget(host);
      this.#seats.delete(host);
      this.announce(host);
    }
  }

  /** Lets go of sources that are not asked for any more. */
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
    // Until the answer says better.
    for (const seat of due) seat.renewAt = this.now() + loadingMs;
    for (const row of heard?.rows ?? []) {
      const { seat, kept } = asked.get(row.source_id) ?? {};
      if (!heard || !seat || kept === undefined) continue;
      seat.learnShare(row, kept, heard.sentAt + shareTtlMs);
      seat.source.learn(row, heard.sentAt);
      seat.source.wake();
    }
  }

  /** What the governor's regular turn would come too late for. */
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
