import type { Exchange } from './exchange.ts';

/** Deadlines are seconds, so a tenth is precise enough for one timer that serves all exchanges. */
const tickMs = 100;

/** Enforces the deadlines of all running exchanges, and ends those whose signal is aborted. */
export class ExchangeWatch {
  /**
   * Not a Set: if it changes with every exchange, it leaves a chain of outgrown tables in V8's old space, which keep exchanges and
   * their buffers alive until a full collection (23 for 60,000 pages, now 4).
   */
  readonly #exchanges: Exchange[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** One listener for all exchanges of a crawl: one for each took 9 µs per page. */
  readonly #signals = new WeakSet<AbortSignal>();

  add(exchange: Exchange): void {
    exchange.watchedAs = this.#exchanges.push(exchange) - 1;
    if (exchange.signal) this.#heed(exchange.signal);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  delete(exchange: Exchange): void {
    const last = this.#exchanges.pop();
    if (!last || last === exchange) return;
    this.#exchanges[exchange.watchedAs] = last;
    last.watchedAs = exchange.watchedAs;
  }

  /** Ends every exchange with this error. */
  failAll(error: unknown): void {
    for (const exchange of [...this.#exchanges]) exchange.fail(error);
    this.#tick();
  }

  #heed(signal: AbortSignal): void {
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    const abort = () => {
      for (const exchange of [...this.#exchanges])
        if (exchange.signal === signal) exchange.fail(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
  }

  #tick(): void {
    const now = performance.now();
    for (const exchange of [...this.#exchanges]) exchange.watch(now);
    // Not when the last exchange ends: sequential fetches would start and stop a timer each.
    if (this.#exchanges.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
