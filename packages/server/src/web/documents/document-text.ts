import type { PageHeading } from '../html/extracted-page.ts';

/** The content of a document. */
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
  /** Fewer than `pages` if a limit on time or length was reached. */
  readonly pagesRead: number;
  readonly isTruncated: boolean;
}
