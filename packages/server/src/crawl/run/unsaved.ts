import type { Page, PageContent } from '../../pages/stored/page.ts';
import type { FoundUrl, FrontierEntry, Tries } from '../frontier/frontier-entry.ts';

export interface DoneEntry {
  readonly entry: FrontierEntry;
  readonly page: Page & { content?: PageContent };
  /** How many more pages count against the limit of its host: none where a page that counts was tried again. */
  readonly counts: number;
}

export interface PostponedEntry extends Tries {
  readonly host: string;
  readonly seq: number;
  /** By the monotonic clock. */
  readonly until: number;
}

/** URLs that are not fetched, by reason. */
export type OffScope = Readonly<Record<string, number>>;

/** What happened since the last checkpoint. */
export class Unsaved {
  readonly done: DoneEntry[] = [];
  /** By what makes two URLs one (url-rules.ts). */
  readonly found = new Map<string, FoundUrl>();
  /** By seq: a row is postponed once, or done. */
  readonly postponed = new Map<number, PostponedEntry>();
  readonly offScope: Record<string, number> = {};
  /** Of bodies that the site sent. */
  bytes = 0;
  discovery: Record<string, unknown> | null = null;

  /** URLs that the site was asked for, whatever it said. */
  get asked(): number {
    return this.done.length + this.postponed.size;
  }

  get isEmpty(): boolean {
    return this.asked === 0 && this.found.size === 0 && this.discovery === null;
  }

  addOffScope(counts: OffScope): void {
    for (const [reason, count] of Object.entries(counts))
      this.offScope[reason] = (this.offScope[reason] ?? 0) + count;
  }
}
