/** Wakes those who wait. A ring that nobody waits for is forgotten. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for the next ring, for so long at most. True: it rang. */
  wait(signal: AbortSignal, ms?: number): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (rang: boolean) => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', give);
        clearTimeout(timer);
        resolve(rang);
      };
      const wake = () => end(true);
      const give = () => end(false);
      const timer = ms === undefined ? undefined : setTimeout(give, ms);
      this.#waiting.add(wake);
      signal.addEventListener('abort', give, { once: true });
    });
  }
}
