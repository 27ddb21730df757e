import type { UrlKind } from '../../pages/stored/page.ts';

/** A URL found on a page, in a list or as a seed; the checkpoint finds out whether it is new. */
export interface FoundUrl {
  readonly host: string;
  readonly url: string;
  readonly url_hash: string;
  readonly kind: UrlKind;
  readonly depth: number;
  /** Consecutive redirects that led here. */
  readonly redirects: number;
  /** url_hash of the page that linked here; null for seeds. */
  readonly parent: string | null;
}

/** How often a URL was requested. */
export interface Tries {
  /** All attempts. */
  readonly attempts: number;
  /** Attempts that an overloaded host refused. */
  readonly refusals: number;
}

/** The error of the last attempt. */
export interface LastFailure {
  readonly reason: string;
  readonly message: string;
  readonly status: number | null;
}

/** A row of the frontier: a URL to process. */
export interface FrontierEntry extends FoundUrl, Tries {
  readonly seq: number;
  /** Remaining delay when it was read, by the database's clock; null: none. */
  readonly wait_ms: number | null;
  /** The earlier outcome of a retried page, which keeps its record until the new one is saved; null: a new URL. */
  readonly retry_of: 'failed' | 'skipped' | 'redirected' | null;
  /** The page in the baseline, if it exists. */
  readonly before?: PageBefore | null;
}

export interface PageBefore {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly contentHash: string | null;
}
