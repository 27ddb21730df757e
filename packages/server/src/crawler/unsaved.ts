import type { FoundUrl, FrontierEntry } from '../frontier/frontier-entry.ts';
import type { Page, PageContent } from '../pages/page.ts';

export interface DoneEntry {
  readonly entry: FrontierEntry;
  readonly page: Page & { content?: PageContent };
}

/** What happened since the last checkpoint. */
export class Unsaved {
  readonly done: DoneEntry[] = [];
  readonly found = new Map<string, FoundUrl>();
  readonly postponed = new Map<FrontierEntry, { attempts: number; notBefore: Date }>();
  readonly offScope: Record<string, number> = {};
  discovery: Record<string, unknown> | null = null;

  get isEmpty(): boolean {
    return (
      this.done.length === 0 && this.found.size === 0 && this.postponed.size === 0 && this.discovery === null
    );
  }

  countOffScope(reason: string): void {
    this.offScope[reason] = (this.offScope[reason] ?? 0) + 1;
  }
}
