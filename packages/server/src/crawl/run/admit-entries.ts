import { HoldfastError, type HostCause } from '@holdfast/contract';
import type { Permit } from '../../governor/pacing/permit.ts';
import type { RequestLease } from '../../web/fetch/request-lease.ts';
import type { TrapDetector } from '../../web/urls/trap-detector.ts';
import type { TrapReason } from '../../web/urls/trap-signs.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { HostQueues } from './host-queues.ts';
import { StartTimes } from './start-times.ts';

/** Leave to do an entry: with a permit for its request, or with a verdict that spares the request. */
export type Admission =
  | { readonly permit: Permit }
  | { readonly skip: string }
  | { readonly fail: HoldfastError };

/** The end of a request brings the next look at once. */
const waitForOthersMs = 1_000;
const deathsToCondemn = 2;

/** Decides when a frontier entry may be done: suspects, the limits of its host, robots.txt, delays, the governor. */
export class AdmitEntries {
  readonly #context: CrawlContext;
  readonly #hosts: HostQueues;
  readonly #lease: RequestLease;
  readonly #traps: TrapDetector | undefined;
  readonly #starts: StartTimes;
  /** Fewer than the retries of the job, so that the page is given up before the crawl is. */
  readonly #deathsToCondemn: number;
  #givesUp = false;

  /** `lease`: on its behalf robots.txt is asked. */
  constructor(context: CrawlContext, hosts: HostQueues, lease: RequestLease, traps?: TrapDetector) {
    this.#traps = traps;
    this.#context = context;
    this.#lease = lease;
    this.#hosts = hosts;
    this.#starts = new StartTimes(context.options.delay_ms);
    this.#deathsToCondemn = Math.min(deathsToCondemn, context.job.max_retries - 1);
  }

  /** Leave to do the entry now, or when to ask again. */
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
    const trap = this.#trapOf(entry);
    if (trap) return { skip: trap };
    const mayStartAt = this.#starts.next(entry.host, now);
    if (now < mayStartAt) return mayStartAt;
    const permit = governor.tryAcquire(entry.host);
    if ('waitUntil' in permit) return permit.waitUntil;
    this.#starts.started(entry.host, now);
    return { permit };
  }

  /** It is robots.txt that keeps it waiting, because it cannot be had: not one that comes late because its source is paused. */
  waitsForRobots(entry: FrontierEntry): boolean {
    return this.blockOf(entry).cause === 'robots';
  }

  /** From now on the URLs of origins whose robots.txt cannot be had fail: the job has no retry left to wait for them. */
  giveUpUnreachable(): void {
    this.#givesUp = true;
  }

  /** What blocks an entry's host. */
  blockOf({ url, host }: FrontierEntry): { cause: HostCause; sourceId: string | null; isPaused: boolean } {
    const { governor, robots, options } = this.#context;
    const held = governor.heldBy(host);
    const sourceId = held?.sourceId ?? null;
    if (held?.isKnown) return { cause: held.cause, sourceId, isPaused: true };
    const isUnreachable = !options.ignore_robots && robots.failureOf(url) !== undefined;
    return { cause: isUnreachable ? 'robots' : (held?.cause ?? 'limit'), sourceId, isPaused: false };
  }

  /** When an entry's host is blocked: until then, by the monotonic clock; 0 when it is not. */
  blockedUntil(entry: FrontierEntry): number {
    const { governor, robots, options } = this.#context;
    const verdict = options.ignore_robots ? 'allowed' : robots.verdict(entry.url, this.#lease);
    // Rules that are on their way block nobody for long.
    const robotsUntil = typeof verdict === 'number' && Number.isFinite(verdict) ? verdict : 0;
    return Math.max(governor.blockedUntil(entry.host), robotsUntil);
  }

  /** As far as is known, no request to an entry's host starts before. */
  startsAt(entry: FrontierEntry, now: number): number {
    return Math.max(this.blockedUntil(entry), this.#starts.next(entry.host, now));
  }

  /** What somebody named, asked for again, or had before is no trap. */
  #trapOf({ url, kind, parent, before, retry_of }: FrontierEntry): TrapReason | null {
    if (!this.#traps || kind !== 'page' || parent === null || retry_of !== null || before) return null;
    return this.#traps.verdict(url);
  }

  /** Whether a host has had all the pages it may have, or may have had them when those under way are done. */
  #hostLimit({ host, kind, retry_of }: FrontierEntry): 'reached' | 'under way' | undefined {
    const { max_pages_per_host } = this.#context.options;
    // A failed page that is tried again has its place already.
    if (max_pages_per_host === undefined || kind !== 'page' || retry_of === 'failed') return undefined;
    const { pages, inFlight } = this.#hosts.of(host);
    if (pages >= max_pages_per_host) return 'reached';
    return pages + inFlight >= max_pages_per_host ? 'under way' : undefined;
  }
}
