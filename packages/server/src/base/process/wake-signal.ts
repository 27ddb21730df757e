/** Wakes everyone who is waiting. A notification that nobody waits for is lost. */
export class WakeSignal {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for the next notification, at most `ms`. False: aborted or timed out. */
  wait(signal: AbortSignal, ms?: number): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isNotified: boolean) => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', give);
        clearTimeout(timer);
        resolve(isNotified);
      };
      const wake = () => end(true);
      const give = () => end(false);
      const timer = ms === undefined ? undefined : setTimeout(give, ms);
      this.#waiting.add(wake);
      signal.addEventListener('abort', give, { once: true });
    });
  }
}
