import type { UrlKind } from '../../pages/stored/page.ts';

/** A URL that a page, a sitemap or a seed brought up; whether it is new is for the checkpoint to find out. */
export interface FoundUrl {
  readonly host: string;
  readonly url: string;
  readonly url_hash: string;
  readonly kind: UrlKind;
  readonly depth: number;
  /** Redirects that led here one after the other. */
  readonly redirects: number;
  /** url_hash of the page that linked here; null for seeds. */
  readonly parent: string | null;
}

/** How often a URL was asked for. */
export interface Tries {
  /** All of them. */
  readonly attempts: number;
  /** Those that an overloaded host turned away. */
  readonly refusals: number;
}

/** A URL that is left to do. */
export interface FrontierEntry extends FoundUrl, Tries {
  readonly seq: number;
  /** How long it had to wait when it was read, by the database's clock; null: it never had to. */
  readonly wait_ms: number | null;
  /** The outcome of the page that is tried again, and keeps its record until then; null: it has none. */
  readonly retry_of: 'failed' | 'skipped' | null;
  /** What the crawl that this one is compared with knows of the page, if it fetched it. */
  readonly before?: PageBefore | null;
}

export interface PageBefore {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly contentHash: string | null;
}
