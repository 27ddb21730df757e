import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { type SavedCheckpoint, saveCheckpoint } from '../frontier/save-checkpoint.ts';
import { Unsaved } from './unsaved.ts';

export interface CheckpointerOptions {
  readonly db: Queryable;
  readonly job: HeldJob;
  readonly log: Logger;
  /** The number of the last checkpoint. */
  readonly number: number;
  readonly lowSeq: (host: string) => number;
  readonly progress: () => number;
  readonly onSaved: (saved: SavedCheckpoint, unsaved: Unsaved) => void;
  readonly onFailed: (error: unknown) => void;
  /** While it says so, a database that is away is waited for. */
  readonly mayGoOn: () => boolean;
}

/**
 * At most so many URLs have been asked for, and what came of it is not yet durable: that is what a kill costs, besides the
 * requests in flight.
 */
const maxUnsaved = 50;
/** Half of them are written while the other half comes in. */
const everyAsked = maxUnsaved / 2;
const maxUnsavedUrls = 20_000;
const everyUrls = 5_000;
const everyMs = 1_000;

/** Gathers what happened and makes it durable: at 25 URLs, while 25 more come in, or after a second. One at a time. */
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

  /** Nothing more may be asked for until what is there is durable. */
  get isCrowded(): boolean {
    return this.#unsaved.asked + this.#savingAsked >= maxUnsaved || this.#unsaved.found.size > maxUnsavedUrls;
  }

  /** Resolves when there is room for more URLs: one page or list may bring more of them than should be in memory. */
  async room(): Promise<void> {
    this.changed(null);
    while (this.#unsaved.found.size > maxUnsavedUrls) await this.save();
  }

  /** Something was added to `unsaved`. */
  changed(url: string | null): void {
    this.#lastUrl = url ?? this.#lastUrl;
    if (this.#saving && this.#isDue) return; // it follows at once when that one is through
    if (this.#isDue) void this.save();
    else this.#timer ??= setTimeout(() => void this.save(), everyMs);
  }

  /** Saves what there is; resolves when that is durable, or could not be made so. */
  async save(): Promise<void> {
    while (this.#saving) await this.#saving;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unsaved.isEmpty) return;
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
    // A run's first page is saved at once: a crawl that moves at all survives any number of kills.
    if (!this.#hasSavedPages && this.#unsaved.done.length > 0) return true;
    return this.#unsaved.asked >= everyAsked || this.#unsaved.found.size >= everyUrls;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #write(unsaved: Unsaved): Promise<void> {
    const { db, job, log, lowSeq, progress, onSaved, onFailed, mayGoOn } = this.#options;
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
    };
    const started = performance.now();
    try {
      const saved = await retryTransient(
        mayGoOn,
        () => saveCheckpoint(db, job, checkpoint),
        (error) => log.warn({ err: error }, 'A checkpoint could not be saved; trying again'),
      );
      publish('checkpoint', { seconds: (performance.now() - started) / 1000, pages: countOutcomes(unsaved) });
      onSaved(saved, unsaved);
    } catch (error) {
      onFailed(error);
    }
  }
}

function countOutcomes({ done }: Unsaved): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { page } of done) counts[page.outcome] = (counts[page.outcome] ?? 0) + 1;
  return counts;
}
