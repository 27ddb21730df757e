import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../database/statement.ts';
import { fetchFollowing } from '../fetch/fetch-following.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { parseRobots } from '../robots/parse-robots.ts';
import { productToken } from '../robots/product-token.ts';
import { createRobotsMatcher, type RobotsMatcher } from '../robots/robots-matcher.ts';
import { allowAll, disallowAll, type RobotsRules } from '../robots/robots-rules.ts';
import { type RobotsVerdict, robotsCacheSeconds, robotsVerdict } from '../robots/robots-verdict.ts';
import type { GovernedRun, Permit } from '../sources/governor.ts';
import { loadRobots } from '../sources/load-robots.ts';
import { storeRobots } from '../sources/store-robots.ts';
import { hostOf } from '../urls/host-of.ts';
import { RecentMap } from './recent-map.ts';

export interface RobotsGateOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly fetcher: Fetcher;
  readonly governor: GovernedRun;
  readonly userAgent: string;
  /** Aborted when the run is over. */
  readonly signal: AbortSignal;
  /** Rules of an origin have come, or can be asked for again. */
  readonly onLoaded: (origin: string, sitemaps: readonly string[]) => void;
  /** The monotonic clock. */
  readonly now?: () => number;
}

interface KnownOrigin {
  readonly matcher: RobotsMatcher;
  /** robots.txt could not be had: the origin's URLs wait until this has expired. */
  readonly waits: boolean;
  /** By the monotonic clock. A run may outlive what it knows by days. */
  readonly expiresAt: number;
}

const limits = { maxBytes: 2 * 1024 * 1024, totalMs: 20_000 };
const maxHops = 5;
const loading = Number.POSITIVE_INFINITY;
const retryMs = 1_000;
/** For rules that are about to expire: a clock ahead of the database's would have them loaded again every second. */
const leastKeptMs = 60_000;
/** More than the hosts worked on at once; what is forgotten is in the database's cache. */
const maxOrigins = 2_000;

/** Asks robots.txt before every URL. Rules are cached in the database for all workers, refusals included. */
export class RobotsGate {
  readonly #options: RobotsGateOptions;
  readonly #origins = new RecentMap<KnownOrigin>(maxOrigins);
  readonly #loading = new Set<string>();
  readonly #askAgain = new Set<string>();
  /** Loads that wait for the governor, by origin, and how to give them its leave. */
  readonly #waiting = new Map<string, (permit: Permit) => void>();
  readonly #now: () => number;
  readonly #agent: string;
  /** Why a robots.txt could not be had, for the error of a crawl that waits for it. */
  lastFailure: string | undefined;

  constructor(options: RobotsGateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#agent = productToken(options.userAgent);
  }

  /** Does not take an earlier failure for an answer: a crawl that begins there has nothing else to do. */
  askAgain(origin: string): void {
    this.#askAgain.add(origin);
  }

  /** Whether a URL may be fetched, or when to ask again. Nothing here waits: what is not there yet is fetched. */
  verdict(url: string): 'allowed' | 'disallowed' | number {
    const origin = url.slice(0, url.indexOf('/', 8));
    const known = this.#origins.get(origin);
    if (known === undefined) {
      this.#bring(origin);
      return loading;
    }
    const isExpired = known.expiresAt <= this.#now();
    if (known.waits) {
      if (isExpired) this.#origins.delete(origin);
      return known.expiresAt;
    }
    // The old rules hold until the new ones are there: a crawl need not stand still for them.
    if (isExpired) this.#bring(origin);
    return known.matcher.allows(url) ? 'allowed' : 'disallowed';
  }

  #bring(origin: string): void {
    if (!this.#loading.has(origin)) {
      void this.#load(origin);
      return;
    }
    // Whoever asks is about to take the governor's leave for a page, and at a busy source would be first every time.
    const give = this.#waiting.get(origin);
    const permit = give && this.#options.governor.tryAcquire(hostOf(`${origin}/`));
    if (permit && !('waitUntil' in permit)) give(permit);
  }

  async #load(origin: string): Promise<void> {
    const { db, log, governor, onLoaded } = this.#options;
    this.#loading.add(origin);
    try {
      const { rules, verdict, expiresInMs } = (await this.#cached(origin)) ?? (await this.#fetch(origin));
      this.lastFailure = rules.failure ?? this.lastFailure;
      const matcher = createRobotsMatcher(rules, this.#agent);
      const expiresAt = this.#now() + expiresInMs;
      // Also when there is none: an earlier one may have been taken back.
      await governor.recordCrawlDelay(hostOf(`${origin}/`), matcher.crawlDelaySeconds ?? null);
      this.#origins.set(origin, { matcher, waits: verdict === 'disallow_all', expiresAt });
      this.#loading.delete(origin);
      onLoaded(origin, rules.sitemaps);
    } catch (error) {
      if (this.#options.signal.aborted) return;
      // The database is away, most likely: asked again in a moment.
      log.warn({ err: error, origin }, 'robots.txt could not be looked up; trying again');
      await delay(retryMs);
      await db.query({ text: 'SELECT 1' }).catch(() => undefined);
      this.#loading.delete(origin);
      onLoaded(origin, []);
    }
  }

  async #cached(origin: string) {
    const [cached] = await loadRobots(this.#options.db, [origin]);
    if (!cached || (cached.outcome === 'disallow_all' && this.#askAgain.delete(origin))) return undefined;
    const leastMs = cached.outcome === 'disallow_all' ? retryMs : leastKeptMs;
    const expiresInMs = Math.max(cached.expires_at.getTime() - Date.now(), leastMs);
    return { rules: cached.rules as RobotsRules, verdict: cached.outcome as RobotsVerdict, expiresInMs };
  }

  async #fetch(origin: string) {
    const { db, fetcher, userAgent } = this.#options;
    const permit = await this.#permit(origin);
    const started = performance.now();
    let verdict: RobotsVerdict = 'disallow_all';
    let rules: RobotsRules = disallowAll;
    try {
      const request = { url: `${origin}/robots.txt`, userAgent, limits };
      const { response } = await fetchFollowing(fetcher, request, { maxHops });
      const { status, retryAfterSeconds } = response;
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds });
      verdict = robotsVerdict(status);
      if (verdict === 'disallow_all') this.lastFailure = `${origin}/robots.txt: HTTP ${status}`;
      if (verdict !== 'disallow_all')
        rules = verdict === 'parse' ? parseRobots(response.body ?? new Uint8Array()) : allowAll;
    } catch (error) {
      if (!(error instanceof HoldfastError)) {
        permit.cancel();
        throw error;
      }
      permit.done({ kind: 'error', code: error.code });
      // Five redirects and still no file: it counts as not there. What can never be fetched (a forbidden address, a bad
      // certificate) says so itself when its first page is asked for.
      if (error.retry === 'never') [verdict, rules] = ['allow_all', allowAll];
      else this.lastFailure = `${origin}/robots.txt: ${error.message}`;
    }
    if (verdict === 'disallow_all' && this.lastFailure) rules = { ...disallowAll, failure: this.lastFailure };
    await storeRobots(db, { origin, outcome: verdict, rules, ttlSeconds: robotsCacheSeconds[verdict] });
    return { rules, verdict, expiresInMs: robotsCacheSeconds[verdict] * 1000 };
  }

  async #permit(origin: string): Promise<Permit> {
    const { governor, signal } = this.#options;
    const host = hostOf(`${origin}/`);
    for (;;) {
      signal.throwIfAborted();
      const answer = governor.tryAcquire(host);
      if (!('waitUntil' in answer)) return answer;
      const waitMs = Math.min(Math.max(answer.waitUntil - performance.now(), 5), 1_000);
      const given = await this.#untilReady(origin, host, waitMs);
      if (given) return given;
    }
  }

  /**
   * Resolves when the governor calls the host ready, at the latest after `ms`; with a permit when somebody who asked for a
   * verdict gave his. A source that is being loaded is there within milliseconds, not when its refusal said to ask again: a
   * crawl's first page used to wait a second for it.
   */
  #untilReady(origin: string, host: string, ms: number): Promise<Permit | undefined> {
    return new Promise((resolve) => {
      const over = (permit?: Permit) => {
        clearTimeout(timer);
        unsubscribe();
        this.#waiting.delete(origin);
        resolve(permit);
      };
      const timer = setTimeout(over, ms);
      const unsubscribe = this.#options.governor.onReady((ready) => {
        if (ready === host) over();
      });
      this.#waiting.set(origin, over);
    });
  }
}
