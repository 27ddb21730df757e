import type { Block, pageChanges, RenderReason } from '@holdfast/contract';

/** What a URL is asked for: a page, or a list of more URLs. */
export type UrlKind = 'page' | 'sitemap' | 'text';

/** How a page of a recrawl differs from the baseline. `gone`: now 404, 410 or a redirect, or no link led to it. */
export type PageChange = (typeof pageChanges)[number];

/** The outcome of one URL, as a checkpoint writes it. */
export interface Page {
  readonly url_hash: string;
  readonly url: string;
  readonly kind: UrlKind;
  readonly outcome: 'fetched' | 'failed' | 'skipped' | 'redirected';
  readonly depth: number;
  readonly parent: string | null;
  readonly attempts: number;
  readonly fetched_at: Date;
  readonly status?: number | null;
  /** Why it was skipped, or the error code it failed with. */
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
  /** It was read after its scripts ran in a browser. */
  readonly rendered?: boolean | null;
  /** Why it was rendered, or why not although it may need JavaScript. */
  readonly render_reason?: RenderReason | null;
  /** The proxy server that the answer came through. */
  readonly proxy?: string | null;
  /** Who blocked the request; also of a page that could be fetched afterwards. */
  readonly blocked?: Block | null;
  readonly structured?: Record<string, unknown> | null;
  /** Of a failed or skipped URL: URLs found there that are not fetched, by reason. */
  readonly left_out?: Readonly<Record<string, number>> | null;
  /** Only in a crawl that is compared with a baseline. */
  readonly change?: PageChange | null;
  /** The job whose content this page shares; null when it has its own. */
  readonly content_job?: string | null;
}

/** The content of a page, deflated; stored in a table of its own. */
export interface PageContent {
  readonly links: Buffer | null;
  readonly markdown: Buffer | null;
  readonly html: Buffer | null;
  /** Only in crawls that keep responses (`keep_bodies`). */
  readonly kept?: { readonly body: Buffer; readonly answer: KeptAnswer };
}

/** The response that a kept body came with. */
export interface KeptAnswer {
  readonly received_at: string;
  readonly address: string | null;
  /** Status line and headers of an HTTP/1.1 message, without the empty line that ends them. */
  readonly head: string;
}

/** A fetched page with its content inflated, as exports and the API read it. */
export interface StoredPage {
  readonly page_no: number;
  readonly url: string;
  readonly url_hash: string;
  /** From its rel=canonical link. */
  readonly canonical_url: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly depth: number;
  readonly word_count: number | null;
  readonly bytes: number | null;
  readonly fetched_at: Date;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly content_hash: string | null;
  /** Null where there was no baseline. */
  readonly change: PageChange | null;
  readonly rendered: boolean;
  readonly render_reason: RenderReason | null;
  readonly structured: Record<string, unknown> | null;
  readonly markdown: string | null;
  readonly links: readonly string[];
  /** Only where the crawl stored it and the reader asked for it. */
  readonly html: string | null;
  /** The response as it came, likewise. */
  readonly kept: (KeptAnswer & { readonly body: Buffer }) | null;
  readonly has_screenshot: boolean;
  /** A PNG picture, only where the reader asked for it. */
  readonly screenshot: Buffer | null;
}

/**
 * SQL condition: the crawl has content of this page. A recrawl that cannot fetch a page keeps the baseline's content, so that after
 * an outage the next recrawl does not call every page new.
 */
export const wasHad = (page: string) => `(${page}.outcome = 'fetched' OR ${page}.content_job IS NOT NULL)`;

/**
 * SQL join that adds the page's content as `content`. `page` is an alias with job_id, url_hash and content_job: an unchanged page of
 * a recrawl has its content in another job. LIMIT keeps the planner from reading the contents of all jobs.
 */
export const contentOf = (page: string) => `LEFT JOIN LATERAL (
  SELECT markdown, links, html, body, answer FROM crawl_page_contents stored
  WHERE stored.job_id = coalesce(${page}.content_job, ${page}.job_id) AND stored.url_hash = ${page}.url_hash LIMIT 1
) content ON true`;
