import type { Queryable } from '../../base/database/statement.ts';
import type { StoredPage } from '../stored/page.ts';

export const outputFormats = ['jsonl', 'csv', 'md', 'warc'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface OutputJob {
  readonly db: Queryable;
  readonly jobId: string;
  /** Start at the first page, whatever exists. */
  readonly anew: boolean;
}

/** The destination of one job's pages, written in the order of their numbers. */
export interface PageOutput {
  /** Shown to people. */
  readonly name: string;
  /** The number of the last page written. */
  readonly pageNo: number;
  /** Pages and bytes that this process has added. */
  readonly added: { readonly pages: number; readonly bytes: number };
  readonly wants: WantedContent;
  /** Resumes after what exists of this job, or starts at the first page. */
  open(job: OutputJob): Promise<void>;
  add(page: StoredPage): Promise<void>;
  /** Flushes what was added, and records how much is on disk. */
  save(): Promise<void>;
  /** Called when no page follows for now: writes what depends on the other pages. */
  settle?(db: Queryable): Promise<void>;
  /** `complete`: no page will follow. */
  close(complete: boolean): Promise<void>;
}

/** Content to read besides metadata, markdown and links. */
export interface WantedContent {
  readonly html?: boolean;
  readonly bodies?: boolean;
  /** The pictures themselves, and not only whether there are any. */
  readonly screenshots?: boolean;
}

/** The file name of a page's screenshot, in exports that have a record for each page. */
export function screenshotName({ url_hash, has_screenshot }: StoredPage): string | null {
  return has_screenshot ? `${url_hash}.png` : null;
}

/** How pages are written one after another into a file or a stream. A file that ends with a whole record can be resumed. */
export interface PageFormat {
  readonly wants: WantedContent;
  /** Whether a file with this beginning was written in this format. */
  isOurs(beginning: Buffer): boolean;
  /** Whether it has the fields of an earlier version; it is then written anew. */
  isOutdated?(beginning: Buffer): boolean;
  header(jobId: string): string | Buffer;
  record(page: StoredPage, jobId: string): string | Buffer | Promise<Buffer>;
}
