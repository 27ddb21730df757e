import type { Page, Request } from 'playwright-core';

/** Connections that stay open while the page does are not waited for. */
const endless = new Set(['websocket', 'eventsource', 'media', 'ping']);
/**
 * A longer request is a long poll, or one whose end the browser does not report, such as the script of a shared worker.
 */
export const patienceMs = 8_000;

/** Counts a page's requests, using browser events. */
export class PageTraffic {
  started = 0;
  /** With when each of them was given up. */
  readonly #open = new Map<Request, number>();
  #onIdle: (() => void)[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      this.started++;
      if (!endless.has(request.resourceType())) this.#open.set(request, performance.now() + patienceMs);
    });
    const ended = (request: Request) => {
      if (!this.#open.delete(request) || this.#open.size > 0) return;
      for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
  }

  /** Pending requests that are still waited for. */
  get open(): number {
    const now = performance.now();
    for (const [request, until] of this.#open) if (until <= now) this.#open.delete(request);
    return this.#open.size;
  }

  /** Resolves when nothing is pending, or after this time in milliseconds. */
  async idle(withinMs: number): Promise<void> {
    const end = performance.now() + withinMs;
    while (this.open > 0 && performance.now() < end)
      await this.#ended(Math.min(end, ...this.#open.values()) - performance.now());
  }

  #ended(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, withinMs));
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
