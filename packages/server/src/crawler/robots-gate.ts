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
}

interface KnownOrigin {
  readonly matcher: RobotsMatcher;
  /** robots.txt could not be had: the origin's URLs wait until then, by the monotonic clock. */
  readonly waitUntil: number | undefined;
}

const limits = { maxBytes: 2 * 1024 * 1024, totalMs: 20_000 };
const maxHops = 5;
const loading = Number.POSITIVE_INFINITY;
const retryMs = 1_000;
/** More than the hosts worked on at once; what is forgotten is in the database's cache. */
const maxOrigins = 2_000;

/** Asks robots.txt before every URL. Rules are cached in the database for all workers, refusals included. */
export class RobotsGate {
  readonly #options: RobotsGateOptions;
  readonly #origins = new RecentMap<KnownOrigin>(maxOrigins);
  readonly #loading = new Set<string>();
  readonly #askAgain = new Set<string>();
  readonly #agent: string;
  /** Why a robots.txt could not be had, for the error of a crawl that waits for it. */
  lastFailure: string | undefined;

  constructor(options: RobotsGateOptions) {
    this.#options = options;
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
      if (!this.#loading.has(origin)) void this.#load(origin);
      return loading;
    }
    if (known.waitUntil === undefined) return known.matcher.allows(url) ? 'allowed' : 'disallowed';
    if (known.waitUntil <= performance.now()) this.#origins.delete(origin);
    return known.waitUntil;
  }

  async #load(origin: string): Promise<void> {
    const { db, log, governor, onLoaded } = this.#options;
    this.#loading.add(origin);
    try {
      const { rules, verdict, expiresInMs } = (await this.#cached(origin)) ?? (await this.#fetch(origin));
      this.lastFailure = rules.failure ?? this.lastFailure;
      const matcher = createRobotsMatcher(rules, this.#agent);
      const waitUntil = verdict === 'disallow_all' ? performance.now() + expiresInMs : undefined;
      // Also when there is none: an earlier one may have been taken back.
      await governor.recordCrawlDelay(hostOf(`${origin}/`), matcher.crawlDelaySeconds ?? null);
      this.#origins.set(origin, { matcher, waitUntil });
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
    const expiresInMs = Math.max(cached.expires_at.getTime() - Date.now(), retryMs);
    return { rules: cached.rules as RobotsRules, verdict: cached.outcome as RobotsVerdict, expiresInMs };
  }

  async #fetch(origin: string) {
    const { db, fetcher, userAgent } = this.#options;
    const permit = await this.#permit(hostOf(`${origin}/`));
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

  async #permit(host: string): Promise<Permit> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const answer = this.#options.governor.tryAcquire(host);
      if (!('waitUntil' in answer)) return answer;
      const waitMs = Math.min(Math.max(answer.waitUntil - performance.now(), 5), 1_000);
      await untilReady(this.#options.governor, host, waitMs);
    }
  }
}

/**
 * Resolves when the governor calls the host ready, at the latest after `ms`. A source that is being loaded is there within
 * milliseconds, not when its refusal said to ask again: a crawl's first page used to wait a second for it.
 */
function untilReady(governor: GovernedRun, host: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(over, ms);
    const unsubscribe = governor.onReady((ready) => {
      if (ready === host) over();
    });
  });
}
