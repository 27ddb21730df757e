import type { PageHeading } from '../html/extracted-page.ts';

/** What the reader of a document found in it. */
export interface DocumentText {
  readonly title: string | null;
  readonly author: string | null;
  readonly language: string | null;
  readonly headings: readonly PageHeading[];
  /** Absolute URLs, as written. */
  readonly links: readonly string[];
  readonly markdown: string;
  readonly wordCount: number;
  readonly pages: number;
  /** Fewer than `pages` where time or length ran out. */
  readonly pagesRead: number;
  readonly isTruncated: boolean;
}
