import type { pageChanges } from '@holdfast/contract';

/** What a URL is asked for: a page, or a list of more URLs. */
export type UrlKind = 'page' | 'sitemap' | 'text';

/** How a page differs from what the crawl before had of it. `gone`: now 404, 410 or a redirect, or no link led to it. */
export type PageChange = (typeof pageChanges)[number];

/** The stored outcome of one URL. */
export interface Page {
  readonly url_hash: string;
  readonly url: string;
  /** A page, or a list of URLs that discovery read. */
  readonly kind: UrlKind;
  readonly outcome: 'fetched' | 'failed' | 'skipped' | 'redirected';
  readonly depth: number;
  readonly parent: string | null;
  readonly attempts: number;
  readonly fetched_at: Date;
  readonly status?: number | null;
  /** Why it was skipped, or the error code of a failed one. */
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly target_url?: string | null;
  readonly canonical_url?: string | null;
  readonly content_type?: string | null;
  readonly content_hash?: string | null;
  readonly language?: string | null;
  readonly etag?: string | null;
  readonly last_modified?: string | null;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly word_count?: number | null;
  readonly bytes?: number | null;
  readonly structured?: Record<string, unknown> | null;
  /** Nothing when there was no crawl to compare with. */
  readonly change?: PageChange | null;
  /** The job whose content this page shares; nothing when it has its own. */
  readonly content_job?: string | null;
}

/** What is stored beside a page, deflated. */
export interface PageContent {
  readonly links: Buffer | null;
  readonly markdown: Buffer | null;
  readonly html: Buffer | null;
  /** Only of crawls that keep answers as they came. */
  readonly kept?: { readonly body: Buffer; readonly answer: KeptAnswer };
}

/** How a kept body came. */
export interface KeptAnswer {
  readonly received_at: string;
  readonly address: string | null;
  /** Status line and headers, as an HTTP/1.1 message has them, without the empty line behind. */
  readonly head: string;
}
