import type { Page, Request } from 'playwright-core';

/** Connections that stay open as long as the page does; nobody waits for their end. */
const endless = new Set(['websocket', 'eventsource', 'media', 'ping']);

/** Counts what a page loads, by the browser's own events. */
export class PageTraffic {
  started = 0;
  readonly #open = new Set<Request>();
  #onIdle: (() => void)[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      this.started++;
      if (!endless.has(request.resourceType())) this.#open.add(request);
    });
    const ended = (request: Request) => {
      if (!this.#open.delete(request) || this.#open.size > 0) return;
      for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
  }

  get open(): number {
    return this.#open.size;
  }

  /** Resolves when nothing is under way, or after so many milliseconds. */
  idle(withinMs: number): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
