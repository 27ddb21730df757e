import type { SourceState } from '../sources/source-state.ts';
import type { DatabaseLink } from './database-link.ts';
import { type Reservation, reserveSlots } from './reserve-slots.ts';

/** How long before the next free slot a reservation is possible; see reserve-slots.ts. */
const aheadMs = 900;
const againMs = 1_000;

/** The source that slots are reserved for. */
interface PacedSource {
  readonly id: string;
  learn(state: SourceState, sentAt: number): void;
  wake(): void;
}

/** This process's slots of one source. New ones are reserved in the database before the last are spent. */
export class SlotKeeper {
  readonly #link: DatabaseLink;
  readonly #source: PacedSource;
  readonly #slots = new SlotQueue();
  #reserving = false;
  /** Without slots: when to ask again, and about when the next slot is free. */
  #askAt = 0;
  #freeAt = 0;

  constructor(link: DatabaseLink, source: PacedSource) {
    this.#link = link;
    this.#source = source;
  }

  /** When the next slot may be used, as far as known. Reserves more when few are left. */
  next(now: number, state: SourceState): number {
    const at = this.#slots.next(now);
    const leadMs = Math.min(2 * this.#link.roundTripMs + 5, 100);
    if (this.#slots.runsLow(now, leadMs) && !this.#reserving && now >= this.#askAt) void this.#reserve(state);
    return at ?? Math.max(this.#freeAt, now + 1);
  }

  /** The earliest time of the next slot, as far as known. */
  peek(now: number): number {
    return this.#slots.next(now) ?? this.#freeAt;
  }

  /** When to check again for waiting requests; Infinity while a reservation is under way. */
  wakeAt(now: number): number {
    return this.#slots.next(now) ?? (this.#reserving ? Number.POSITIVE_INFINITY : this.#askAt);
  }

  take(): number {
    return this.#slots.take();
  }

  giveBack(slot: number): void {
    this.#slots.giveBack(slot);
  }

  clear(): void {
    this.#slots.clear();
    this.#askAt = 0;
    this.#freeAt = 0;
  }

  async #reserve(state: SourceState): Promise<void> {
    const { clock } = this.#link;
    this.#reserving = true;
    // Uncertainty of the clock up to half the tolerance costs nothing; the rest is added as padding.
    const padMs = Math.max(0, clock.uncertaintyMs - state.tolerance_ms / 2);
    const heard = await this.#link.ask((db) => reserveSlots(db, this.#source.id, padMs));
    this.#reserving = false;
    const reservation = heard?.rows[0];
    if (heard && reservation) {
      // The state first: it clears the slots of a faster pace.
      this.#source.learn(reservation, heard.sentAt);
      this.#learn(reservation, padMs);
    } else this.#askAt = this.#link.now() + againMs;
    this.#source.wake();
  }

  #learn({ count, first_ms, interval_ms, tolerance_ms }: Reservation, padMs: number): void {
    const { clock } = this.#link;
    const first = clock.latest(first_ms);
    if (count === 0) {
      this.#freeAt = first;
      this.#askAt = Math.max(first - aheadMs, this.#link.now() + 1);
      return;
    }
    this.#askAt = 0;
    const graceMs = tolerance_ms - clock.uncertaintyMs + padMs;
    this.#slots.add({ first, left: count, count, intervalMs: interval_ms, graceMs });
  }
}

/** Reserved slots, on the monotonic clock. */
interface SlotWindow {
  /** The first slot that is not spent or dropped. */
  first: number;
  left: number;
  readonly count: number;
  readonly intervalMs: number;
  /** How late a slot may still be used. */
  readonly graceMs: number;
}

/** Spends reserved slots in time. A slot that was not used in time is dropped, so that it cannot cause a burst later. */
export class SlotQueue {
  readonly #windows: SlotWindow[] = [];

  add(window: SlotWindow): void {
    this.#windows.push(window);
  }

  clear(): void {
    this.#windows.length = 0;
  }

  /** The time of the next slot that may still be used. */
  next(now: number): number | undefined {
    for (;;) {
      const [window] = this.#windows;
      if (!window) return undefined;
      const late = now - window.graceMs - window.first;
      if (late > 0) this.#drop(window, Math.ceil(late / window.intervalMs));
      if (window.left > 0) return window.first;
      this.#windows.shift();
    }
  }

  /** Spends the slot that `next` returned. */
  take(): number {
    const [window] = this.#windows;
    if (!window) throw new Error('no slot is left');
    const slot = window.first;
    this.#drop(window, 1);
    return slot;
  }

  /** Makes an unused slot available again, unless a later one has been spent. */
  giveBack(slot: number): void {
    const [window] = this.#windows;
    if (!window || Math.abs(window.first - window.intervalMs - slot) > 1e-6) return;
    window.first = slot;
    window.left++;
  }

  /** Whether a quarter or less is left, or less time than a reservation takes. */
  runsLow(now: number, leadMs: number): boolean {
    const last = this.#windows.at(-1);
    if (!last) return true;
    if (this.#windows.length > 2) return false;
    const end = last.first + (last.left - 1) * last.intervalMs;
    return last.left * 4 <= last.count || end - now < leadMs;
  }

  #drop(window: SlotWindow, slots: number): void {
    const dropped = Math.min(slots, window.left);
    window.first += dropped * window.intervalMs;
    window.left -= dropped;
  }
}
