import type { CrawlView } from './crawl-view.ts';

interface Sample {
  readonly at: number;
  readonly processed: number;
}

const windowMs = 10_000;

/** How fast a crawl goes, over the last ten seconds: a pause, a slow host or a new run shows soon, a hiccup does not. */
export class CrawlRate {
  #samples: Sample[] = [];

  add({ total_processed }: CrawlView, now = performance.now()): void {
    this.#samples.push({ at: now, processed: total_processed });
    while ((this.#samples[1]?.at ?? now) < now - windowMs) this.#samples.shift();
  }

  /** Pages a second. */
  get perSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 500) return 0;
    return Math.max(((last.processed - first.processed) * 1000) / (last.at - first.at), 0);
  }

  /** Until what is known now is done; more may be found on the way. */
  secondsLeft({ total_pending, fetched, payload }: CrawlView): number | undefined {
    if (this.perSecond === 0) return undefined;
    const limit =
      typeof payload.max_pages === 'number' ? payload.max_pages - fetched : Number.POSITIVE_INFINITY;
    return Math.min(total_pending, limit) / this.perSecond;
  }
}
