import { HoldfastError } from '@holdfast/contract';
import { patienceMs } from '../../governor/governed-fetcher.ts';
import type { StopReason } from '../../queue/jobs/end-run.ts';
import { TrapDetector } from '../../web/traps/trap-detector.ts';
import type { SavedCheckpoint } from '../frontier/checkpoint-statement.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlState } from '../frontier/open-frontier.ts';
import { shardOfUrl } from '../frontier/shard-of-url.ts';
import { type Admission, AdmitEntries } from './admit-entries.ts';
import { BlockedHosts } from './blocked-hosts.ts';
import { Checkpointer, type Unsaved } from './checkpointer.ts';
import { ComparePages } from './compare-pages.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { CrawlEnd } from './crawl-end.ts';
import { Discovery, type KeptDiscovery } from './discovery.ts';
import { seedUrls } from './find-urls.ts';
import { HeldShard } from './held-shard.ts';
import type { HostQueue } from './host-queue.ts';
import { HostQueues } from './host-queues.ts';
import type { InFlight } from './in-flight-file.ts';
import { recallUrls } from './known-urls.ts';
import { ProcessEntry } from './process-entry.ts';
import { returnRefuted } from './refuted-traps.ts';

/** A shard whose hosts are blocked for longer is given up, if another one has work. */
const shardPatienceMs = 1_000;

/** How soon to check again whether an expired lease was renewed. */
const leaseLookMs = 250;
/** Grace period for requests in flight when the run must stop; a pause must take effect within a second. */
const graceMs = { pause: 500, cancel: 0, drain: 10_000, gone: 2_000, silent: 2_000, lost: 0 } as const;

/** The loop of one run: starts entries as permitted, until nothing is left or the run must stop. Memory is bounded. */
export class CrawlLoop {
  readonly #context: CrawlContext;
  readonly #queues: HostQueues;
  readonly #checkpointer: Checkpointer;
  readonly #admissions: AdmitEntries;
  readonly #processor: ProcessEntry;
  readonly #inFlight: InFlight;
  readonly #blocked: BlockedHosts;
  readonly #discovery: Discovery;
  readonly #requests = new AbortController();
  /** Aborted when no more requests start, so that pending robots.txt requests end. */
  readonly #starts = new AbortController();
  readonly #ended: Promise<CrawlEnd>;
  #end: (end: CrawlEnd) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  #stopReason: StopReason | undefined;
  #total: Pick<SavedCheckpoint, 'total_pending' | 'total_processed' | 'fetched' | 'retrying'>;
  /** In a crawl with several shards: the one that this loop works on. */
  readonly #shard: HeldShard | undefined;
  /** A suspect runs alone. */
  #alone = false;
  #refilling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #willPump = false;
  #settling = false;
  #isOver = false;
  /** A resumed crawl has not loaded its known URLs yet. */
  #mustRecall = false;

  constructor(context: CrawlContext, state: CrawlState) {
    this.#context = context;
    this.#inFlight = context.inFlight;
    const { db, job, log } = context;
    const mayContinue = () => performance.now() < context.leaseEnds();
    this.#total = state;
    this.#shard = state.shard && new HeldShard(state.shard, context.options);
    this.#queues = new HostQueues(db, {
      jobId: job.id,
      baseline: state.baseline,
      shard: state.shard?.shard,
    });
    this.#checkpointer = new Checkpointer({
      db,
      job,
      log,
      number: state.shard?.checkpoint_no ?? state.checkpoint_no,
      shard: state.shard && {
        shard: state.shard.shard,
        of: shardOfUrl({ shards: state.shard.shards, by: state.shard.shard_by }),
        limit: context.options.max_pages,
        want: (spent) => this.#wantedPages(spent),
      },
      lowSeq: (host) => this.#queues.of(host).lowSeq,
      progress: () => this.#progress(),
      takeCookies: () => context.session.takeChanged(),
      onSaved: (saved, unsaved) => this.#saved(saved, unsaved),
      onFailed: (error) => this.#fail(error),
      mayContinue,
    });
    const kept = state.discovery as KeptDiscovery;
    const traps = context.options.traps ? new TrapDetector(kept.trapPages, {}, kept.refutedTraps) : undefined;
    const compare =
      state.baseline === null
        ? undefined
        : new ComparePages(context, state.baseline, state.baseline_rules, mayContinue);
    const lease = { leaseEnds: context.leaseEnds, signal: this.#starts.signal };
    this.#admissions = new AdmitEntries(context, this.#queues, lease, traps);
    this.#blocked = new BlockedHosts(context, this.#queues, this.#admissions);
    this.#discovery = new Discovery({
      scope: context.scope,
      traps,
      unsaved: () => this.#checkpointer.unsaved,
      kept,
    });
    this.#processor = new ProcessEntry(context, this.#checkpointer, this.#queues, {
      compare,
      discovery: this.#discovery,
      onSignedOut: (error) => {
        this.#isOver = true;
        this.#end({ how: 'signed_out', error });
      },
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#failed = reject;
    });
  }

  /** `starts`: whether the crawl begins, goes on in another process, or goes on in this one with another shard. */
  async run(starts: 'new' | 'again' | 'switched'): Promise<CrawlEnd> {
    const unsubscribe = this.#context.governor.onReady(() => this.#pump());
    try {
      if (starts === 'new') await this.#seed();
      else this.#mustRecall = starts === 'again';
      this.#pump();
      const end = await this.#ended;
      if (end.how !== 'lost') await this.#checkpointer.save();
      return end;
    } finally {
      this.#isOver = true;
      unsubscribe();
      clearTimeout(this.#timer);
      this.#checkpointer.stop();
      this.#starts.abort();
      this.#requests.abort();
    }
  }

  /** Starts no more requests, gives those in flight a grace period, and ends the run. */
  stop(reason: StopReason, grace: number = graceMs[reason]): void {
    if (this.#stopReason) return;
    this.#stopReason = reason;
    this.#starts.abort();
    const end = () => {
      this.#requests.abort();
      this.#end(reason === 'lost' ? { how: 'lost' } : { how: 'stopped', reason });
    };
    if (this.#inFlight.size === 0 || grace === 0) end();
    else setTimeout(end, grace);
  }

  /** The robots.txt of an origin has arrived: its entries may start, and its sitemaps join the crawl. */
  robotsLoaded(origin: string, sitemaps: readonly string[]): void {
    if (this.#isOver) return;
    this.#processor.discovered(origin, sitemaps);
    this.#pump();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #seed(): Promise<void> {
    const { unsaved } = this.#checkpointer;
    const { options, urlRules } = this.#context;
    for (const [identity, url] of seedUrls(options, urlRules)) unsaved.found.set(identity, url);
    await this.#checkpointer.save();
  }

  /** Starts all entries that may start now, and schedules its next call. */
  #pump(): void {
    if (this.#stopReason || this.#settling || this.#isOver) return;
    const now = performance.now();
    if (now > this.#context.leaseEnds()) {
      this.#pumpIn(leaseLookMs);
      return;
    }
    let wakeAt = now + 1_000;
    while (this.#mayStart()) {
      const next = this.#next(now);
      if ('wakeAt' in next) {
        wakeAt = Math.min(wakeAt, next.wakeAt);
        break;
      }
      this.#start(next.queue, next.entry, next.admission);
    }
    this.#inFlight.publish();
    this.#refill();
    if (this.#inFlight.size === 0) void this.#settle();
    this.#pumpIn(Math.max(wakeAt - now, 5));
  }

  /** At the end of this turn of the event loop: one call serves all requests that end in it. */
  #pumpSoon(): void {
    if (this.#willPump) return;
    this.#willPump = true;
    setImmediate(() => {
      this.#willPump = false;
      this.#pump();
    });
  }

  #pumpIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), ms);
  }

  #mayStart(): boolean {
    const { concurrency } = this.#context.options;
    if (this.#alone || this.#inFlight.size >= concurrency || this.#checkpointer.isCrowded) return false;
    return this.#retrying > 0 || this.#mayFetchMore(this.#inFlight.size);
  }

  /** Frontier rows for this runner. */
  get #pending(): number {
    return this.#shard?.news.pending ?? this.#total.total_pending;
  }

  get #retrying(): number {
    return this.#shard?.news.retrying ?? this.#total.retrying;
  }

  /** Whether the page limit allows another page, counting those in flight. Retried pages were counted before. */
  #mayFetchMore(underWay: number): boolean {
    const { max_pages } = this.#context.options;
    if (max_pages === undefined) return true;
    const { unsavedFetched } = this.#processor;
    if (this.#shard) return unsavedFetched + underWay < this.#shard.news.budget;
    return this.#total.fetched + unsavedFetched + underWay < max_pages;
  }

  /** Whether the crawl has fetched as many pages as it may. */
  get #isAtLimit(): boolean {
    const { max_pages = Number.POSITIVE_INFINITY } = this.#context.options;
    return this.#shard ? this.#total.fetched >= max_pages : !this.#mayFetchMore(0);
  }

  #wantedPages(spent: number): number {
    const { asked, found } = this.#checkpointer.unsaved;
    const isIdle = this.#inFlight.size + asked + found.size + spent === 0;
    return this.#shard?.wantedPages(spent, { fetched: this.#total.fetched, isIdle }) ?? 0;
  }

  #next(now: number) {
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.inTurn()) {
      const entry = this.#peek(queue, now);
      if (!entry) {
        wakeAt = Math.min(wakeAt, queue.nextDue);
        continue;
      }
      if (this.#context.suspects.has(entry.url_hash) && this.#inFlight.size > 0) continue;
      const gate = this.#admissions.admit(entry, now);
      if (typeof gate === 'number') {
        wakeAt = Math.min(wakeAt, gate);
        continue;
      }
      return { queue, entry, admission: gate };
    }
    return { wakeAt };
  }

  /** The next entry of a host that the page limit allows. */
  #peek(queue: HostQueue, now: number): FrontierEntry | undefined {
    for (;;) {
      const entry = queue.peek(now);
      if (!entry || entry.retry_of !== null || this.#mayFetchMore(this.#inFlight.size)) return entry;
      if (this.#mayFetchMore(0)) return undefined;
      // Left over at the limit; a retried page may follow it.
      queue.leave(entry);
    }
  }

  #start(queue: HostQueue, entry: FrontierEntry, admission: Admission): void {
    queue.take(entry);
    queue.inFlight++;
    this.#shard?.busy();
    this.#queues.served(queue);
    this.#inFlight.add(entry.url_hash);
    this.#alone = this.#context.suspects.has(entry.url_hash);
    const { signal } = this.#requests;
    this.#processor.process(entry, admission, signal).then(
      (postponed) => {
        if (postponed) {
          const { until, ...changes } = postponed;
          queue.postpone({ ...entry, ...changes }, until);
        }
        this.#over(queue, entry);
      },
      (error) => {
        this.#over(queue, entry);
        // A request aborted because the run stops leaves its entry unchanged.
        if (!signal.aborted) this.#fail(error);
      },
    );
  }

  #over(queue: HostQueue, entry: FrontierEntry): void {
    queue.inFlight--;
    this.#inFlight.delete(entry.url_hash);
    this.#alone = false;
    if (this.#stopReason && this.#inFlight.size === 0)
      this.#end({ how: 'stopped', reason: this.#stopReason });
    else this.#pumpSoon();
  }

  #refill(): void {
    this.#refilling ??= this.#queues
      .refill((queue, now) => this.#blocked.startsAt(queue, now), this.#mayFetchMore(0) ? 'all' : 'retried')
      .then(
        (read) => read && this.#pumpSoon(),
        (error) => this.#context.log.warn({ err: error }, 'Could not read the frontier; trying again'),
      )
      .then(() => {
        this.#refilling = undefined;
      });
  }

  /** Nothing is in flight: the crawl is over, waits, or is blocked. */
  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      await this.#checkpointer.save(this.#shard?.isNewsDue());
      await this.#refilling;
      if (this.#retrying === 0 && this.#isAtLimit) return this.#end({ how: 'limit' });
      if (this.#hasNothingToDo && (this.#shard?.mayGiveUp(this.#total.total_pending === 0) ?? true)) {
        // Of several runners, the last one does that (end-crawl.ts).
        if (this.#shard || !(await this.#returnDropped())) return this.#end({ how: 'finished' });
      }
      // Some rows are not in memory: look for them.
      if (this.#pending > 0 && this.#queues.isEmpty) this.#queues.rescan();
      const waitMs = this.#blocked.waitMs();
      if (waitMs > (this.#shard?.news.others ? shardPatienceMs : patienceMs)) {
        const { fetched } = this.#total;
        const { retry_count, max_retries } = this.#context.job;
        const byRobots = this.#blocked.areByRobots();
        // If pages were fetched and no retry is left, the unreachable URLs fail and the crawl completes.
        const isSpent = byRobots && fetched > 0 && retry_count >= max_retries;
        if (isSpent && waitMs > patienceMs) this.#admissions.giveUpUnreachable();
        else this.#end({ how: 'blocked', waitMs, byRobots, fetched, by: this.#blocked.reason() });
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#settling = false;
    }
    if (!this.#stopReason && !this.#isOver) this.#pumpIn(20);
  }

  /** Returns URLs of suspected traps that were cleared to the frontier. Returns whether there were any. */
  async #returnDropped(): Promise<boolean> {
    const { wanted } = this.#discovery;
    if (!wanted) return false;
    const returned = await returnRefuted(this.#context, wanted, this.#total.fetched);
    this.#discovery.returned();
    if (returned === 0) return false;
    const { total_pending, retrying } = this.#total;
    this.#total = { ...this.#total, total_pending: total_pending + returned, retrying: retrying + returned };
    this.#queues.grew(this.#queues.hosts.map(({ host }) => host));
    this.#queues.rescan();
    return true;
  }

  /** Its shard is empty, or other runners hold all that is left of the page limit. */
  get #hasNothingToDo(): boolean {
    if (!this.#checkpointer.unsaved.isEmpty) return false;
    return (
      this.#pending === 0 || (this.#shard !== undefined && this.#retrying === 0 && !this.#mayFetchMore(0))
    );
  }

  #saved(saved: SavedCheckpoint, unsaved: Unsaved): void {
    this.#total = saved;
    if (saved.shard?.seeds) this.#discovery.seedsAdmitted(saved.shard.seeds);
    if (saved.shard && this.#shard?.heard(saved.shard)) this.#queues.arrived();
    this.#processor.committed(unsaved);
    if (this.#mustRecall) this.#recall();
    for (const { entry } of unsaved.done) this.#queues.of(entry.host).done(entry);
    // Even if none was new: a checkpoint repeated after a lost response does not report what the first one added.
    if (unsaved.found.size > 0)
      this.#queues.grew(new Set([...unsaved.found.values()].map(({ host }) => host)));
    if (saved.requested_action) this.stop(saved.requested_action);
    else this.#pumpSoon();
  }

  /** After the first save, which must not be delayed. */
  #recall(): void {
    this.#mustRecall = false;
    const expected = this.#total.total_pending + this.#total.total_processed;
    void recallUrls(this.#context, { expected }, () => this.#isOver);
  }

  #fail(error: unknown): void {
    if (error instanceof HoldfastError && error.code === 'lease_lost') this.stop('lost');
    else this.#failed(error);
  }

  #progress(): number {
    const { total_processed, total_pending, fetched } = this.#total;
    // A refused start page is no progress.
    if (fetched === 0) return 0;
    const { max_pages = Number.POSITIVE_INFINITY } = this.#context.options;
    const whole = Math.min(max_pages, total_processed + total_pending);
    const done = whole === max_pages ? fetched : total_processed;
    return Math.min(Math.floor((100 * done) / whole), 99);
  }
}
