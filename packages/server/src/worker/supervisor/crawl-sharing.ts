import { crawlOptions } from '@holdfast/contract';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { planShards } from '../../crawl/frontier/shard-of-url.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { giveUpShard } from '../../queue/shards/give-up-shard.ts';
import { findHeldShards, joinCrawls } from '../../queue/shards/join-crawls.ts';
import { openShards } from '../../queue/shards/open-shards.ts';
import type { Holder } from './hand-back.ts';

/** Whether a crawl asked for several shards when it began: only then may there be any. */
export function sharesWork({ kind, payload }: ClaimedJob): boolean {
  return kind === 'crawl' && typeof payload.shards === 'number' && payload.shards > 1;
}

interface SharingOptions {
  readonly holder: Holder;
  readonly allowPrivate: readonly string[];
  /** Joins this crawl alone (one-shot commands). */
  readonly onlyJob: string | undefined;
  /** Runners that no waiting job is about to need. */
  readonly free: () => number;
  /** Whether a runner of this worker holds it. */
  readonly holds: (lease: HeldJob) => boolean;
  /** A runner of its own is to work on a crawl that this worker has begun, or joined. `asked`: when the lease was, by the monotonic clock. */
  readonly onBegun: (job: ClaimedJob, asked: number) => void;
  readonly onJoined: (job: ClaimedJob, asked: number) => void;
  /** Claims may ask for runners again. */
  readonly onEnd: () => void;
}

/** This worker's part in crawls with several shards: it begins those that it claims, and lends its idle runners to others. */
export class CrawlSharing {
  readonly #options: SharingOptions;
  /** Claimed jobs whose shards are being opened. */
  readonly #opening = new Map<ClaimedJob, Promise<void>>();
  /** Crawls that need private origins which this worker may not fetch. */
  readonly #refused: string[] = [];
  #joining: Promise<void> | undefined;
  #mayHaveLost = false;

  constructor(options: SharingOptions) {
    this.#options = options;
  }

  /** Jobs that are about to get a runner. */
  get opening(): readonly ClaimedJob[] {
    return [...this.#opening.keys()];
  }

  /** Idle runners are being lent: none may be promised to a claim. */
  get isJoining(): boolean {
    return this.#joining !== undefined;
  }

  /** Resolves when every job and shard that this worker took has been passed on. */
  async settled(): Promise<void> {
    await this.#joining;
    await Promise.all(this.#opening.values());
  }

  /** Takes the first shard of a claimed crawl. */
  begin(job: ClaimedJob, asked: number): Promise<void> {
    const opened = this.#begin(job, asked)
      .catch((error) => {
        const { log } = this.#options.holder;
        log.warn({ job: job.id, err: error }, 'Could not begin a crawl; it is recovered when its lease ends');
      })
      .finally(() => this.#opening.delete(job));
    this.#opening.set(job, opened);
    return opened;
  }

  async #begin(job: ClaimedJob, asked: number): Promise<void> {
    const { holder, onBegun } = this.#options;
    const options = crawlOptions.safeParse(job.payload);
    const leaseEnds = asked + job.lease_seconds * 1000;
    const open = async () =>
      // The runner reports what is wrong with the options.
      options.success
        ? await openShards(holder.db, job, holder.workerId, planShards(options.data))
        : undefined;
    const ticket = await retryTransient(() => performance.now() < leaseEnds, open);
    this.#opening.delete(job);
    onBegun(ticket === undefined ? job : { ...job, ticket }, asked);
  }

  /** Takes shards that have work and no runner. */
  join(): Promise<void> {
    const { onEnd, holder } = this.#options;
    this.#joining ??= this.#join()
      .catch((error) => {
        holder.log.warn({ err: error }, 'Could not join running crawls; trying again at the next poll');
      })
      .finally(() => {
        this.#joining = undefined;
        onEnd();
      });
    return this.#joining;
  }

  async #join(): Promise<void> {
    const { holder, allowPrivate, onlyJob, free, onJoined } = this.#options;
    const { db, workerId } = holder;
    const limit = free();
    if (limit <= 0) return;
    if (this.#mayHaveLost) await this.#giveBackLost();
    const asked = performance.now();
    this.#mayHaveLost = true;
    const joined = await joinCrawls(db, { workerId, limit, allowPrivate, onlyJob, except: this.#refused });
    this.#mayHaveLost = false;
    for (const job of joined) onJoined(job, asked);
  }

  /** Gives up the shard of a crawl that this worker may not fetch. Returns whether that leaves the crawl without a runner. */
  async refuse(job: ClaimedJob): Promise<boolean> {
    this.#refused.push(job.id);
    if (this.#refused.length > maxRefused) this.#refused.shift();
    return (await giveUpShard(this.#options.holder.db, job)).became === 'last';
  }

  /** Gives back shards of which this worker does not know: it took them, and the answer was lost. */
  async #giveBackLost(): Promise<void> {
    const { holder, holds } = this.#options;
    for (const lease of await findHeldShards(holder.db, holder.workerId))
      if (!holds(lease)) await giveUpShard(holder.db, lease, { onlyEmpty: true });
  }
}

/** Older ones are asked for again. */
const maxRefused = 100;
