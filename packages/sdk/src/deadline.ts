/** A signal that is aborted with another, or when time is up. Unlike AbortSignal.any, it leaves nothing on the other. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = () => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time counts from now, again. */
  set(ms: number): void {
    clearTimeout(this.#timer);
    if (!Number.isFinite(ms)) return;
    this.#timer = setTimeout(
      () => {
        this.isOver = true;
        this.#controller.abort();
      },
      Math.min(ms, 2 ** 31 - 1),
    );
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
