import type { Exchange } from './exchange.ts';

/** Deadlines are seconds: a tenth is fine enough, and one timer for all costs the single exchange nothing. */
const tickMs = 100;

/** Keeps the deadlines of all exchanges that are under way, and ends those whose signal says so. */
export class ExchangeWatch {
  /**
   * Not a Set: one that lives long and changes with every exchange leaves a chain of outgrown tables in V8's old space,
   * which keeps each exchange and its buffers alive until a full collection (measured: 60,000 pages needed 23 of those,
   * now 4).
   */
  readonly #exchanges: Exchange[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** One listener for all exchanges of a crawl: to come and go with each took 9 µs a page. */
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
    // Not when the last one ends: a fetch after a fetch would start and stop a timer each.
    if (this.#exchanges.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
