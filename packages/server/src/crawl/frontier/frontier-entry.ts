import type { UrlKind } from '../../pages/stored/page.ts';

/** A URL found on a page, in a list or as a seed; the checkpoint finds out whether it is new. */
export interface FoundUrl {
  readonly host: string;
  readonly url: string;
  readonly url_hash: string;
  readonly kind: UrlKind;
  readonly depth: number;
  /** Redirects in a row that led here. */
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

/** What the last attempt at a URL failed with. */
export interface LastFailure {
  readonly reason: string;
  readonly message: string;
  readonly status: number | null;
}

/** A row of the frontier: a URL left to process. */
export interface FrontierEntry extends FoundUrl, Tries {
  readonly seq: number;
  /** How long it had to wait when it was read, by the database's clock; null: not at all. */
  readonly wait_ms: number | null;
  /** The outcome of the page being retried, which keeps its record until then; null: a new URL. */
  readonly retry_of: 'failed' | 'skipped' | 'redirected' | null;
  /** What the baseline knows of the page, if it has it. */
  readonly before?: PageBefore | null;
}

export interface PageBefore {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly contentHash: string | null;
}
