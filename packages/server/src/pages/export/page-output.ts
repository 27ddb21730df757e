import type { Queryable } from '../../base/database/statement.ts';
import type { StoredPage } from '../stored/stored-page.ts';
import type { WantedContent } from './page-format.ts';

export const outputFormats = ['jsonl', 'csv', 'md', 'warc'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface OutputJob {
  readonly db: Queryable;
  readonly jobId: string;
  /** From the first page on, whatever is there. */
  readonly anew: boolean;
}

/** Where the pages of one job go, in the order of their numbers. */
export interface PageOutput {
  /** For people. */
  readonly name: string;
  /** The number of the last page it has; whoever fills it goes on behind it. */
  readonly pageNo: number;
  /** How many pages and bytes this process has added to it. */
  readonly added: { readonly pages: number; readonly bytes: number };
  readonly wants: WantedContent;
  /** Behind what is there of this job, or from the first page on. */
  open(job: OutputJob): Promise<void>;
  add(page: StoredPage): Promise<void>;
  /** Hands on what was added; what is on disk is then remembered as such. */
  save(): Promise<void>;
  /** No page follows for now: what depends on the other pages is written. */
  settle?(db: Queryable): Promise<void>;
  /** `complete`: no page will ever follow. */
  close(complete: boolean): Promise<void>;
}
