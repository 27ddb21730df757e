/** What a crawler is to do: fetch every page of a site once, beginning at its root. */
export interface CrawlTask {
  readonly origin: string;
  readonly concurrency: number;
  /** Stop after so many pages; all by default. */
  readonly maxPages?: number;
  /** How often a page that was refused is asked for again; not at all by default. */
  readonly retries?: number;
}

export interface CrawlResult {
  readonly ms: number;
  readonly pages: number;
  /** Links found, over all pages: that a crawler has read them. */
  readonly links: number;
}

/** A crawler that runs in a process of its own and stores nothing. */
export interface CrawlerModule {
  crawl(task: CrawlTask): Promise<CrawlResult>;
}
