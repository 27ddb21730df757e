/** A signal that is aborted with another, or when time is up. Unlike AbortSignal.any, it leaves nothing on the other. */
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

  /** How long it gave, when it was last set. */
  get ms(): number {
    return this.#ms;
  }

  /** By the clock as well: a process that was busy learns of a lost connection before its timer rings. */
  get isOver(): boolean {
    return this.#hasRung || performance.now() >= this.#due;
  }

  /** Time counts from now, again. */
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

  /** What the work comes to, or a rejection as soon as the signal is aborted, whether or not the work listens to it. */
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

  /** Ends what still goes on under the signal. */
  abort(): void {
    this.clear();
    this.#controller.abort();
  }
}
