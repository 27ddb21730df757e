import type { StoredPage } from '../stored/stored-page.ts';

/** What is read of pages beside their metadata, markdown and links. */
export interface WantedContent {
  readonly html?: boolean;
  readonly bodies?: boolean;
}

/** How pages are written one behind the other into a file or a stream. What ends with a record can be gone on with. */
export interface PageFormat {
  readonly wants: WantedContent;
  /** Whether a file that begins so was written in this format. */
  isOurs(beginning: Buffer): boolean;
  /** Whether it has the columns or fields of an earlier version; it is then written anew. */
  isOutdated?(beginning: Buffer): boolean;
  header(jobId: string): string | Buffer;
  record(page: StoredPage, jobId: string): string | Buffer | Promise<Buffer>;
}
