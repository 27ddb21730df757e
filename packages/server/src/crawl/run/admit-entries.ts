import { HoldfastError, type HostCause } from '@holdfast/contract';
import type { Permit } from '../../governor/pacing/permit.ts';
import type { RequestLease } from '../../web/fetch/fetcher.ts';
import type { TrapDetector } from '../../web/traps/trap-detector.ts';
import type { TrapReason } from '../../web/traps/trap-signs.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { HostQueues } from './host-queues.ts';

/** Permission to process an entry: a permit for its request, or a verdict that needs no request. */
export type Admission =
  | { readonly permit: Permit }
  | { readonly skip: string }
  | { readonly fail: HoldfastError };

/** Maximum; the end of a request triggers the next check at once. */
const waitForOthersMs = 1_000;
const deathsToCondemn = 2;

/** Decides when an entry may be processed: suspects, host limits, robots.txt, traps, delays, the governor. */
export class AdmitEntries {
  readonly #context: CrawlContext;
  readonly #hosts: HostQueues;
  readonly #lease: RequestLease;
  readonly #traps: TrapDetector | undefined;
  readonly #starts: StartTimes;
  /** Fewer than the job's retries, so that the page fails before the crawl does. */
  readonly #deathsToCondemn: number;
  #givesUp = false;

  /** `lease`: bounds the requests for robots.txt. */
  constructor(context: CrawlContext, hosts: HostQueues, lease: RequestLease, traps?: TrapDetector) {
    this.#traps = traps;
    this.#context = context;
    this.#lease = lease;
    this.#hosts = hosts;
    this.#starts = new StartTimes(context.options.delay_ms);
    this.#deathsToCondemn = Math.min(deathsToCondemn, context.job.max_retries - 1);
  }

  /** Permission to process the entry now, or when to ask again. */
  admit(entry: FrontierEntry, now: number): Admission | number {
    const { suspects, robots, governor, options } = this.#context;
    const deaths = suspects.get(entry.url_hash) ?? 0;
    if (deaths > 0 && deaths >= this.#deathsToCondemn) {
      return {
        fail: new HoldfastError('runner_crashed', `${deaths} more times while this page ran alone`),
      };
    }
    const perHost = this.#hostLimit(entry);
    if (perHost === 'reached') return { skip: 'host_limit' };
    if (perHost === 'under way') return now + waitForOthersMs;
    if (!options.ignore_robots) {
      const verdict = robots.verdict(entry.url, this.#lease);
      if (verdict === 'disallowed') return { skip: 'robots' };
      if (verdict instanceof HoldfastError) return { fail: verdict };
      if (typeof verdict === 'number') {
        const failure = this.#givesUp ? robots.failureOf(entry.url) : undefined;
        return failure ? { fail: failure } : Math.max(verdict, now);
      }
    }
    const proxyRestsUntil = this.#context.proxies.blockedUntil(entry.host);
    if (proxyRestsUntil > now) return proxyRestsUntil;
    const trap = this.#trapOf(entry);
    if (trap) return { skip: trap };
    const mayStartAt = this.#starts.next(entry.host, now);
    if (now < mayStartAt) return mayStartAt;
    const permit = governor.tryAcquire(entry.host);
    if ('waitUntil' in permit) return permit.waitUntil;
    this.#starts.started(entry.host, now);
    return { permit };
  }

  /** Whether an unreachable robots.txt blocks the entry, and not just a paused source that delays it. */
  waitsForRobots(entry: FrontierEntry): boolean {
    return this.blockOf(entry).cause === 'robots';
  }

  /** From now on, URLs behind an unreachable robots.txt fail, because the job has no retry left. */
  giveUpUnreachable(): void {
    this.#givesUp = true;
  }

  /** What blocks an entry's host. */
  blockOf({ url, host }: FrontierEntry): { cause: HostCause; sourceId: string | null; isPaused: boolean } {
    const { governor, robots, options } = this.#context;
    const held = governor.heldBy(host);
    const sourceId = held?.sourceId ?? null;
    if (held?.isKnown) return { cause: held.cause, sourceId, isPaused: true };
    if (this.#context.proxies.blockedUntil(host) > 0) return { cause: 'proxy', sourceId, isPaused: false };
    const isUnreachable = !options.ignore_robots && robots.failureOf(url) !== undefined;
    return { cause: isUnreachable ? 'robots' : (held?.cause ?? 'limit'), sourceId, isPaused: false };
  }

  /** Until when an entry's host is blocked, by the monotonic clock; 0 when it is not. */
  blockedUntil(entry: FrontierEntry): number {
    const { governor, robots, options, proxies } = this.#context;
    const verdict = options.ignore_robots ? 'allowed' : robots.verdict(entry.url, this.#lease);
    // Rules that are being fetched do not block for long.
    const robotsUntil = typeof verdict === 'number' && Number.isFinite(verdict) ? verdict : 0;
    return Math.max(governor.blockedUntil(entry.host), robotsUntil, proxies.blockedUntil(entry.host));
  }

  /** Earliest time of the next request to an entry's host, as far as known. */
  startsAt(entry: FrontierEntry, now: number): number {
    return Math.max(this.blockedUntil(entry), this.#starts.next(entry.host, now));
  }

  /** Seeds, retried pages and pages of the baseline are never traps. */
  #trapOf({ url, kind, parent, before, retry_of }: FrontierEntry): TrapReason | null {
    if (!this.#traps || kind !== 'page' || parent === null || retry_of !== null || before) return null;
    return this.#traps.verdict(url);
  }

  /** Whether a host has reached its page limit, or may reach it with the requests in flight. */
  #hostLimit({ host, kind, retry_of }: FrontierEntry): 'reached' | 'under way' | undefined {
    const { max_pages_per_host } = this.#context.options;
    // A retried page was counted before.
    if (max_pages_per_host === undefined || kind !== 'page' || retry_of === 'failed') return undefined;
    const { pages, inFlight } = this.#hosts.of(host);
    if (pages >= max_pages_per_host) return 'reached';
    return pages + inFlight >= max_pages_per_host ? 'under way' : undefined;
  }
}

/** Hosts to remember; in practice more than a crawl starts within its delay. */
const maxHosts = 100_000;

/** When the last request to each host started. Bounded: when it is full, no other host may start. */
export class StartTimes {
  readonly #delayMs: number;
  readonly #limit: number;
  /** In order of time. */
  readonly #times = new Map<string, number>();

  constructor(delayMs: number, limit = maxHosts) {
    this.#delayMs = delayMs;
    this.#limit = limit;
  }

  /** When the next request to a host may start; a past time means now. */
  next(host: string, now: number): number {
    if (this.#delayMs === 0) return 0;
    const last = this.#times.get(host);
    if (last !== undefined) return last + this.#delayMs;
    for (const [first, time] of this.#times) {
      if (this.#times.size < this.#limit && now < time + this.#delayMs) return 0;
      if (now < time + this.#delayMs) return time + this.#delayMs;
      this.#times.delete(first);
    }
    return 0;
  }

  started(host: string, now: number): void {
    if (this.#delayMs === 0) return;
    this.#times.delete(host);
    this.#times.set(host, now);
  }
}
