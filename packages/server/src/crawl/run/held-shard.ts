import type { CrawlOptions } from '@holdfast/contract';
import type { SavedShard } from '../frontier/checkpoint-statement.ts';
import type { ShardState } from '../frontier/open-frontier.ts';

/** How long a runner waits for URLs from other shards before it gives up an empty one. */
const lingerMs = 1_500;
/** Interval at which a runner that has nothing to do asks for news of its shard. */
const newsMs = 150;
/** Pages of the limit that a runner holds beside those that may be in flight. */
const spareBudget = 64;

/** The shard that a runner holds, as of its last checkpoint, and how long there has been nothing to do in it. */
export class HeldShard {
  readonly plan: ShardState;
  readonly #options: Pick<CrawlOptions, 'max_pages' | 'concurrency'>;
  #news: SavedShard;
  #idleSince = Number.POSITIVE_INFINITY;
  #askedForNews = 0;

  constructor(plan: ShardState, options: Pick<CrawlOptions, 'max_pages' | 'concurrency'>) {
    this.plan = plan;
    this.#options = options;
    this.#news = { ...plan, others: false, seeds: null };
  }

  get news(): SavedShard {
    return this.#news;
  }

  /** Takes what a checkpoint said. Returns whether other shards added URLs. */
  heard(news: SavedShard): boolean {
    const hasArrivals = news.arrivals !== this.#news.arrivals;
    this.#news = news;
    if (hasArrivals) this.busy();
    return hasArrivals;
  }

  /** There is something to do. */
  busy(): void {
    this.#idleSince = Number.POSITIVE_INFINITY;
  }

  /** With nothing to do: whether to give the shard up. A runner waits a moment for URLs from others, unless other work waits for it. */
  mayGiveUp(isCrawlEmpty: boolean): boolean {
    const now = performance.now();
    if (this.#idleSince === Number.POSITIVE_INFINITY) this.#idleSince = now;
    return isCrawlEmpty || this.#news.others || now > this.#idleSince + lingerMs;
  }

  /** Other shards may have added URLs, and somebody may have asked the crawl to stop. */
  isNewsDue(): boolean {
    const now = performance.now();
    if (now < this.#askedForNews + newsMs) return false;
    this.#askedForNews = now;
    return true;
  }

  /**
   * How many more pages of the limit to ask for once `spent` of them are saved. A runner with nothing to do returns its own (a negative
   * number), so that others may fetch them.
   */
  wantedPages(spent: number, { fetched, isIdle }: { fetched: number; isIdle: boolean }): number {
    const { max_pages, concurrency } = this.#options;
    if (max_pages === undefined) return 0;
    const left = this.#news.budget - spent;
    if (isIdle && this.#news.pending === 0 && this.#idleSince !== Number.POSITIVE_INFINITY) return -left;
    const share = Math.ceil((max_pages - fetched) / (2 * this.plan.shards));
    return Math.max(Math.min(share, concurrency + spareBudget) - left, 0);
  }
}
