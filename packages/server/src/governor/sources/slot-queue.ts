/** Slots that were reserved, on the monotonic clock. */
export interface SlotWindow {
  /** Slots not yet spent or dropped begin here; moved on by the queue. */
  first: number;
  left: number;
  readonly count: number;
  readonly intervalMs: number;
  /** How long after its time a slot may still be used. */
  readonly graceMs: number;
}

/** Spends reserved slots in time. One that nobody used in time is dropped: it must not make a burst later. */
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

  /** Spends the slot that `next` named. */
  take(): number {
    const [window] = this.#windows;
    if (!window) throw new Error('no slot is left');
    const slot = window.first;
    this.#drop(window, 1);
    return slot;
  }

  /** A slot that came to nothing can be used again if no later one has been. */
  giveBack(slot: number): void {
    const [window] = this.#windows;
    if (!window || Math.abs(window.first - window.intervalMs - slot) > 1e-6) return;
    window.first = slot;
    window.left++;
  }

  /** A quarter or less is left, or less time than it takes to get more. */
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
