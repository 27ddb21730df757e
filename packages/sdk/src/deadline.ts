/** A signal that is aborted with another, or when time is up. Unlike AbortSignal.any, it removes its listener. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Number.POSITIVE_INFINITY;
  #ms = Number.POSITIVE_INFINITY;
  #hasRung = false;

  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time limit that was last set. */
  get ms(): number {
    return this.#ms;
  }

  /** Also checks the clock: in a busy process, a lost connection may be reported before the timer fires. */
  get isOver(): boolean {
    return this.#hasRung || performance.now() >= this.#due;
  }

  /** Restarts the time limit. */
  set(ms: number): void {
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#due = performance.now() + ms;
    if (!Number.isFinite(ms)) return;
    this.#timer = setTimeout(
      () => {
        this.#hasRung = true;
        this.#controller.abort();
      },
      Math.min(ms, 2 ** 31 - 1),
    );
  }

  /** The result of the work, or a rejection as soon as the signal is aborted, even if the work ignores it. */
  within<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }

  /** Aborts work in progress. */
  abort(): void {
    this.clear();
    this.#controller.abort();
  }
}
