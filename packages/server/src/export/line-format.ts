import type { StoredPage } from '../pages/stored-page.ts';

/** A format with one record a line: every page ends with a line break and has none inside. */
export interface LineFormat {
  readonly header: string;
  readonly wantsHtml: boolean;
  /** Whether a file that begins so was written in this format. */
  isOurs(beginning: string): boolean;
  record(page: StoredPage): string;
}
