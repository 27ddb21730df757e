import type { KeptAnswer, PageChange } from './page.ts';

/** A fetched page as readers get it: what was stored of it, with its content inflated. */
export interface StoredPage {
  readonly page_no: number;
  readonly url: string;
  /** As its rel=canonical says, where it says something. */
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
  /** How it differs from the crawl before; nothing when there was none to compare with. */
  readonly change: PageChange | null;
  readonly structured: Record<string, unknown> | null;
  readonly markdown: string | null;
  readonly links: readonly string[];
  /** Only where the crawl stored it and the reader asked for it. */
  readonly html: string | null;
  /** The answer as it came, likewise. */
  readonly kept: (KeptAnswer & { readonly body: Buffer }) | null;
}
