import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { Page, PageContent } from '../../pages/stored/page.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import type { SavedCheckpoint } from '../frontier/checkpoint-statement.ts';
import type { FoundUrl, FrontierEntry, LastFailure, Tries } from '../frontier/frontier-entry.ts';
import { type ShardCheckpoint, saveCheckpoint } from '../frontier/save-checkpoint.ts';
import type { CookieRow } from '../session/stored-cookies.ts';

interface CheckpointerOptions {
  readonly db: Queryable;
  readonly job: HeldJob;
  readonly log: Logger;
  /** The number of the last checkpoint. */
  readonly number: number;
  readonly lowSeq: (host: string) => number;
  readonly progress: () => number;
  /** Cookies that changed since the last call. */
  readonly takeCookies: () => CookieRow[];
  readonly onSaved: (saved: SavedCheckpoint, unsaved: Unsaved) => void;
  readonly onFailed: (error: unknown) => void;
  /** In a crawl with several shards. */
  readonly shard?: CheckpointedShard | undefined;
  /** Whether to keep retrying while the database is down. */
  readonly mayContinue: () => boolean;
}

interface CheckpointedShard extends Pick<ShardCheckpoint, 'shard' | 'of' | 'limit'> {
  /** How many pages of the limit the runner wants to have when these were spent. */
  readonly want: (spent: number) => number;
}

/** Maximum fetched URLs whose outcome is not durable yet: the cost of a kill, besides requests in flight. */
const maxUnsaved = 50;
/** One half is written while the other half is collected. */
const everyAsked = maxUnsaved / 2;
const maxUnsavedUrls = 20_000;
const everyUrls = 5_000;
/** URLs of one page or list added before waiting for capacity. */
export const urlsAtOnce = 5_000;
const everyMs = 1_000;

/** Collects outcomes and saves them after 25 URLs or one second, one checkpoint at a time. */
export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #unsaved = new Unsaved();
  #number: number;
  #saving: Promise<void> | undefined;
  #savingAsked = 0;
  #hasSavedPages = false;
  #timer: NodeJS.Timeout | undefined;
  #lastUrl: string | null = null;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    this.#number = options.number;
  }

  get unsaved(): Unsaved {
    return this.#unsaved;
  }

  /** No more requests may start until the collected outcomes are durable. */
  get isCrowded(): boolean {
    return this.#unsaved.asked + this.#savingAsked >= maxUnsaved || this.#unsaved.found.size > maxUnsavedUrls;
  }

  /** Resolves when there is capacity for more URLs: one list may have more than should be in memory. */
  async room(): Promise<void> {
    this.changed(null);
    while (this.#unsaved.found.size > maxUnsavedUrls) await this.save();
  }

  /** Something was added to `unsaved`. */
  changed(url: string | null): void {
    this.#lastUrl = url ?? this.#lastUrl;
    if (this.#saving && this.#isDue) return; // it follows the one in progress
    if (this.#isDue) void this.save();
    else this.#timer ??= setTimeout(() => void this.save(), everyMs);
  }

  /**
   * Saves everything collected. Resolves when it is durable or has failed. `always`: also if nothing has changed, to
   * hear the news.
   */
  async save(always = false): Promise<void> {
    while (this.#saving) await this.#saving;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unsaved.isEmpty && !always) return;
    const unsaved = this.#unsaved;
    this.#unsaved = new Unsaved();
    this.#savingAsked = unsaved.asked;
    this.#hasSavedPages ||= unsaved.done.length > 0;
    this.#saving = this.#write(unsaved).finally(() => {
      this.#saving = undefined;
      this.#savingAsked = 0;
      if (this.#isDue) void this.save();
    });
    await this.#saving;
  }

  get #isDue(): boolean {
    // A run's first page is saved at once, so that a crawl that makes any progress survives any number of kills.
    if (!this.#hasSavedPages && this.#unsaved.done.length > 0) return true;
    return this.#unsaved.asked >= everyAsked || this.#unsaved.found.size >= everyUrls;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #write(unsaved: Unsaved): Promise<void> {
    const { db, job, log, lowSeq, progress, takeCookies, onSaved, onFailed, mayContinue, shard } =
      this.#options;
    const spent = countSpent(unsaved);
    this.#number++;
    const hosts = new Map<string, { lowSeq: number; pages: number }>();
    for (const { entry, counts } of unsaved.done) {
      const host = hosts.get(entry.host);
      if (!host) hosts.set(entry.host, { lowSeq: lowSeq(entry.host), pages: counts });
      else host.pages += counts;
    }
    const checkpoint = {
      number: this.#number,
      pages: unsaved.done.map(({ page }) => page),
      replaced: unsaved.done.flatMap(({ entry }) => (entry.retry_of === null ? [] : [entry.url_hash])),
      found: [...unsaved.found.values()],
      done: unsaved.done.map(({ entry }) => entry),
      postponed: [...unsaved.postponed.values()],
      hosts,
      offScope: unsaved.offScope,
      bytes: unsaved.bytes,
      currentUrl: this.#lastUrl,
      progress: progress(),
      discovery: unsaved.discovery,
      cookies: takeCookies(),
      shard: shard && { ...shard, spent, want: shard.want(spent) },
    };
    const started = performance.now();
    try {
      const saved = await retryTransient(
        mayContinue,
        () => saveCheckpoint(db, job, checkpoint),
        (error) => log.warn({ err: error }, 'Could not save a checkpoint; trying again'),
      );
      publish('checkpoint', { seconds: (performance.now() - started) / 1000, pages: countOutcomes(unsaved) });
      onSaved(saved, unsaved);
    } catch (error) {
      onFailed(error);
    }
  }
}

/** Pages that count towards the page limit; retried ones are extra. */
function countSpent({ done }: Unsaved): number {
  return done.filter(({ page, entry }) => page.outcome === 'fetched' && entry.retry_of === null).length;
}

function countOutcomes({ done }: Unsaved): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { page } of done) counts[page.outcome] = (counts[page.outcome] ?? 0) + 1;
  return counts;
}

interface DoneEntry {
  readonly entry: FrontierEntry;
  readonly page: Page & { content?: PageContent };
  /** Pages to add to the count of its host: 0 for a retried page, which was counted before. */
  readonly counts: number;
}

interface PostponedEntry extends Tries {
  readonly host: string;
  readonly seq: number;
  /** By the monotonic clock. */
  readonly until: number;
  readonly failure: LastFailure;
}

/** Numbers of URLs that are not fetched, by reason. */
export type OffScope = Readonly<Record<string, number>>;

/** Outcomes since the last checkpoint. */
export class Unsaved {
  readonly done: DoneEntry[] = [];
  /** By identity (url-rules.ts). */
  readonly found = new Map<string, FoundUrl>();
  /** By seq: a row is either postponed or done. */
  readonly postponed = new Map<number, PostponedEntry>();
  readonly offScope: Record<string, number> = {};
  /** Of bodies received. */
  bytes = 0;
  discovery: Record<string, unknown> | null = null;

  /** URLs that were requested, whatever the outcome. */
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
