import { HoldfastError } from '@holdfast/contract';
import type { StopReason } from '../../queue/jobs/end-run.ts';
import { type BlockedBy, maxBlockedSources } from '../../queue/jobs/waiting-jobs.ts';
import { TrapDetector } from '../../web/urls/trap-detector.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlState } from '../frontier/open-frontier.ts';
import type { SavedCheckpoint } from '../frontier/save-checkpoint.ts';
import { type Admission, AdmitEntries } from './admit-entries.ts';
import { Checkpointer } from './checkpointer.ts';
import { ComparePages } from './compare-pages.ts';
import type { CrawlContext } from './crawl-context.ts';
import { Discovery, type KeptDiscovery } from './discovery.ts';
import type { HostQueue } from './host-queue.ts';
import { HostQueues } from './host-queues.ts';
import type { InFlight } from './in-flight-file.ts';
import { ProcessEntry } from './process-entry.ts';
import { recallUrls } from './recall-urls.ts';
import { seedUrls } from './seed-urls.ts';
import type { Unsaved } from './unsaved.ts';

/**
 * How a run ended by itself, or was made to.
 * finished  nothing is left to do; limit  a limit was reached; blocked  every host left is blocked until then;
 * stopped   as it was asked to; lost  the lease is gone
 */
export type CrawlEnd =
  | { readonly how: 'finished' | 'limit' | 'lost' }
  | {
      readonly how: 'blocked';
      readonly waitMs: number;
      readonly byRobots: boolean;
      readonly by: BlockedBy;
      /** Pages of all runs so far. */
      readonly fetched: number;
    }
  | { readonly how: 'stopped'; readonly reason: StopReason };

/** Blocked for longer than this, the run is given back instead of waiting. */
const patienceMs = 30_000;
/** How soon to look again whether a lease that seemed over was renewed. */
const leaseLookMs = 250;
const longestWaitMs = 10 * 60_000;
/** Requests in flight get so long to end when the run is to stop; a pause must act within a second. */
const graceMs = { pause: 500, cancel: 0, drain: 10_000, gone: 2_000, silent: 2_000, lost: 0 } as const;

/** One run of a crawl, from the last checkpoint to its end. Keeps no more in memory than it needs for the next seconds. */
export class CrawlLoop {
  readonly #context: CrawlContext;
  readonly #queues: HostQueues;
  readonly #checkpointer: Checkpointer;
  readonly #admissions: AdmitEntries;
  readonly #processor: ProcessEntry;
  readonly #inFlight: InFlight;
  readonly #requests = new AbortController();
  /** Aborted as soon as no more requests start: what robots.txt says is of no use then. */
  readonly #starts = new AbortController();
  readonly #ended: Promise<CrawlEnd>;
  #end: (end: CrawlEnd) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  #stopReason: StopReason | undefined;
  #total: Pick<SavedCheckpoint, 'total_pending' | 'total_processed' | 'fetched' | 'retrying'>;
  /** A suspect runs alone. */
  #alone = false;
  #refilling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #willPump = false;
  #settling = false;
  #isOver = false;
  /** It goes on with a crawl, and has not looked yet at what that has met. */
  #mustRecall = false;

  constructor(context: CrawlContext, state: CrawlState) {
    this.#context = context;
    this.#inFlight = context.inFlight;
    const { db, job, log } = context;
    const mayGoOn = () => performance.now() < context.leaseEnds();
    this.#total = state;
    this.#queues = new HostQueues(db, { jobId: job.id, baseline: state.baseline });
    this.#checkpointer = new Checkpointer({
      db,
      job,
      log,
      number: state.checkpoint_no,
      lowSeq: (host) => this.#queues.of(host).lowSeq,
      progress: () => this.#progress(),
      onSaved: (saved, unsaved) => this.#saved(saved, unsaved),
      onFailed: (error) => this.#fail(error),
      mayGoOn,
    });
    const kept = state.discovery as KeptDiscovery;
    const traps = context.options.traps ? new TrapDetector(kept.trapPages) : undefined;
    const compare =
      state.baseline === null
        ? undefined
        : new ComparePages(context, state.baseline, state.baseline_rules, mayGoOn);
    const lease = { leaseEnds: context.leaseEnds, signal: this.#starts.signal };
    this.#admissions = new AdmitEntries(context, this.#queues, lease, traps);
    this.#processor = new ProcessEntry(context, this.#checkpointer, this.#queues, {
      compare,
      discovery: new Discovery({
        scope: context.scope,
        traps,
        unsaved: () => this.#checkpointer.unsaved,
        kept,
      }),
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#failed = reject;
    });
  }

  async run(isNew: boolean): Promise<CrawlEnd> {
    const unsubscribe = this.#context.governor.onReady(() => this.#pump());
    try {
      if (isNew) await this.#seed();
      else this.#mustRecall = true;
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

  /** Starts no more requests, gives those under way a moment, and ends the run. */
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

  /** The rules of an origin have come: its entries need not wait any more, and its sitemaps join the crawl. */
  robotsLoaded(origin: string, sitemaps: readonly string[]): void {
    if (this.#isOver) return;
    this.#processor.discovered(origin, sitemaps);
    this.#pump();
  }

  async #seed(): Promise<void> {
    const { unsaved } = this.#checkpointer;
    const { options, urlRules } = this.#context;
    for (const [identity, url] of seedUrls(options, urlRules)) unsaved.found.set(identity, url);
    await this.#checkpointer.save();
  }

  /** Starts whatever can be started now, and sees to it that it is called again when more can. */
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

  /** At the end of this turn of the event loop: several requests end in one, and one look serves them all. */
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
    return this.#total.retrying > 0 || this.#mayFetchMore(this.#inFlight.size);
  }

  /** Whether the page limit lets another page in when those under way are fetched. Pages that are tried again were let in before. */
  #mayFetchMore(underWay: number): boolean {
    const { max_pages } = this.#context.options;
    return max_pages === undefined || this.#fetchedSoFar() + underWay < max_pages;
  }

  /** Fetched pages, committed or about to be. */
  #fetchedSoFar(): number {
    return this.#total.fetched + this.#processor.unsavedFetched;
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

  /** The next entry of a host that the page limit lets in. */
  #peek(queue: HostQueue, now: number): FrontierEntry | undefined {
    for (;;) {
      const entry = queue.peek(now);
      if (!entry || entry.retry_of !== null || this.#mayFetchMore(this.#inFlight.size)) return entry;
      if (this.#mayFetchMore(0)) return undefined;
      // Left over at the limit: behind it may be one that is tried again.
      queue.leave(entry);
    }
  }

  #start(queue: HostQueue, entry: FrontierEntry, admission: Admission): void {
    queue.take(entry);
    queue.inFlight++;
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
        // A request that was aborted because the run stops leaves its entry as it was.
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
      .refill((queue, now) => this.#startsAt(queue, now), this.#mayFetchMore(0) ? 'all' : 'retried')
      .then(
        (read) => read && this.#pumpSoon(),
        (error) => this.#context.log.warn({ err: error }, 'The frontier could not be read; trying again'),
      )
      .then(() => {
        this.#refilling = undefined;
      });
  }

  /** Nothing is under way: is the crawl over, does it wait, or is it blocked? */
  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      await this.#checkpointer.save();
      await this.#refilling;
      if (this.#total.retrying === 0 && !this.#mayFetchMore(0)) return this.#end({ how: 'limit' });
      if (this.#total.total_pending === 0 && this.#checkpointer.unsaved.isEmpty)
        return this.#end({ how: 'finished' });
      // Rows that nobody in memory knows of: look for them.
      if (this.#total.total_pending > 0 && this.#queues.isEmpty) this.#queues.rescan();
      const waitMs = this.#blockedFor();
      if (waitMs > patienceMs) {
        const { fetched } = this.#total;
        const { retry_count, max_retries } = this.#context.job;
        const byRobots = this.#isBlockedByRobots();
        // What was fetched is worth more than what cannot be had: that is recorded, and the crawl is completed.
        if (byRobots && fetched > 0 && retry_count >= max_retries) this.#admissions.giveUpUnreachable();
        else this.#end({ how: 'blocked', waitMs, byRobots, fetched, by: this.#blockedBy() });
      }
    } finally {
      this.#settling = false;
    }
    if (!this.#stopReason && !this.#isOver) this.#pumpIn(20);
  }

  /** How long every host that is left is blocked for; 0 when one of them is not. */
  #blockedFor(): number {
    const now = performance.now();
    const hosts = this.#queues.hosts.filter((queue) => !queue.isEmpty);
    const { returnAt, hasUnseen } = this.#queues;
    if (hasUnseen || hosts.some((queue) => queue.reading)) return 0;
    const isSetAside = returnAt !== Number.POSITIVE_INFINITY;
    // Delays of the crawl's own are only known here; another run would break them.
    if (isSetAside ? this.#context.options.delay_ms > 0 : hosts.length === 0) return 0;
    const waits = hosts.map((queue) => {
      const entry = queue.peek(now);
      if (entry) return this.#admissions.blockedUntil(entry) - now;
      return queue.hasMore || queue.nextDue === Number.POSITIVE_INFINITY ? 0 : queue.nextDue - now;
    });
    // A source that an operator paused for good is looked at again now and then.
    return Math.max(Math.min(...waits, returnAt - now, longestWaitMs), 0);
  }

  /** What the hosts that are left wait for; the one that is the first to be asked again gives the reason. */
  #blockedBy(): BlockedBy {
    const now = performance.now();
    const blocks = this.#queues.hosts
      .filter((queue) => !queue.isEmpty)
      .map((queue) => {
        const entry = queue.peek(now);
        const block = entry && this.#admissions.blockOf(entry);
        return {
          host: queue.host,
          until: entry ? this.#admissions.blockedUntil(entry) : queue.nextDue,
          cause: block?.cause ?? ('tries' as const),
          sourceId: block?.sourceId ?? this.#context.governor.heldBy(queue.host)?.sourceId ?? null,
          isPaused: block?.isPaused ?? false,
        };
      })
      .sort((a, b) => a.until - b.until);
    const [first] = blocks;
    const sourcesOf = (some: typeof blocks) =>
      [...new Set(some.flatMap(({ sourceId }) => sourceId ?? []))].slice(0, maxBlockedSources);
    return {
      cause: first?.cause ?? 'limit',
      host: first?.host ?? null,
      source: first?.sourceId ?? null,
      hosts: blocks.length,
      sources: sourcesOf(blocks),
      paused: sourcesOf(blocks.filter(({ isPaused }) => isPaused)),
    };
  }

  /** As far as is known, nothing of a host starts before. */
  #startsAt(queue: HostQueue, now: number): number {
    const entry = queue.peek(now);
    if (entry) return this.#admissions.startsAt(entry, now);
    return queue.nextDue === Number.POSITIVE_INFINITY ? 0 : queue.nextDue;
  }

  #isBlockedByRobots(): boolean {
    const now = performance.now();
    if (this.#queues.returnAt !== Number.POSITIVE_INFINITY) return false;
    const hosts = this.#queues.hosts.filter((queue) => !queue.isEmpty);
    return hosts.every((queue) => {
      const entry = queue.peek(now);
      return entry !== undefined && this.#admissions.waitsForRobots(entry);
    });
  }

  #saved(saved: SavedCheckpoint, unsaved: Unsaved): void {
    this.#total = saved;
    this.#processor.committed(unsaved);
    if (this.#mustRecall) this.#recall();
    for (const { entry } of unsaved.done) this.#queues.of(entry.host).done(entry);
    // Not only when some were new: a checkpoint that was repeated after a lost answer does not know what the first one added.
    if (unsaved.found.size > 0)
      this.#queues.grew(new Set([...unsaved.found.values()].map(({ host }) => host)));
    if (saved.requested_action) this.stop(saved.requested_action);
    else this.#pumpSoon();
  }

  /** Only when the run has saved something: nothing may keep it from that. */
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
    // That the start was refused is no progress.
    if (fetched === 0) return 0;
    const { max_pages = Number.POSITIVE_INFINITY } = this.#context.options;
    const whole = Math.min(max_pages, total_processed + total_pending);
    const done = whole === max_pages ? fetched : total_processed;
    return Math.min(Math.floor((100 * done) / whole), 99);
  }
}
