import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { LruMap } from '../../base/collections/lru-map.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { type ResolveHost, resolveHost } from '../../web/fetch/connection.ts';
import { fetchFollowing } from '../../web/fetch/fetch-following.ts';
import { type Fetcher, type RequestLease, RequestNotSent } from '../../web/fetch/fetcher.ts';
import { parseRobots, robotsBytes } from '../../web/robots/parse-robots.ts';
import { createRobotsMatcher, type RobotsMatcher } from '../../web/robots/robots-matcher.ts';
import {
  allowAll,
  disallowAll,
  productToken,
  type RobotsRules,
  type RobotsVerdict,
  robotsCacheSeconds,
  robotsCopyDays,
  robotsVerdict,
} from '../../web/robots/robots-rules.ts';
import { hostOf } from '../../web/urls/canonical-url.ts';
import type { GovernedRun } from '../pacing/governed-run.ts';
import type { Permit } from '../pacing/permit.ts';
import {
  type CachedRobots,
  keepRobotsCopy,
  loadRobots,
  storeRobots,
  storeRobotsFailure,
} from './robots-cache.ts';
import {
  failureOfRules,
  isForbiddenForGood,
  isLasting,
  isOwnFailure,
  robotsFailure,
  rulesOfFailure,
} from './robots-failure.ts';
import { RobotsLoad } from './robots-load.ts';

export interface RobotsGateOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly fetcher: Fetcher;
  readonly governor: GovernedRun;
  readonly userAgent: string;
  /** The crawler's name in robots.txt, if it is not that of the user agent. */
  readonly robotsToken?: string | undefined;
  /** Aborted when the caller will not ask again. */
  readonly signal: AbortSignal;
  /** A one-time caller waits for new rules when the old ones have expired; a crawl continues with other hosts. */
  readonly waitsForNew?: boolean;
  /** Rules of an origin have arrived, or can be requested again. */
  readonly onLoaded: (origin: string, sitemaps: readonly string[]) => void;
  /** The monotonic clock. */
  readonly now?: () => number;
  readonly resolve?: ResolveHost;
}

interface KnownOrigin {
  readonly matcher: RobotsMatcher;
  /** Why robots.txt could not be fetched: the origin's URLs wait until this has expired. */
  readonly failure: HoldfastError | undefined;
  /** A permanent failure of the origin: its URLs fail. */
  readonly fails: boolean;
  /** By the monotonic clock. */
  readonly learnedAt: number;
  /** By the monotonic clock. A run may outlive its rules by days. */
  readonly expiresAt: number;
}

/** The verdict for an origin and its expiry. */
interface Rules {
  readonly rules: RobotsRules;
  readonly failure: HoldfastError | undefined;
  readonly expiresInMs: number;
}

const limits = { totalMs: 20_000 };
const maxHops = 5;
const loading = Number.POSITIVE_INFINITY;
const retryMs = 1_000;
/** More than the hosts crawled at once; evicted entries are in the database's cache. */
const maxOrigins = 2_000;
const failureSeconds = robotsCacheSeconds.disallow_all;
/**
 * Retry delays for an origin whose name or certificate fails, so that a transient fault is not mistaken for a permanent
 * one. Then its URLs fail with the reason. The short delays are for start URLs: a user may be waiting.
 */
const triesMs = [1_000, 8_000];
const seedTriesMs = [500, 1_000];

/** Checks robots.txt before every URL. Rules, including refusals, are cached in the database for all workers. */
export class RobotsGate {
  readonly #options: RobotsGateOptions;
  readonly #origins = new LruMap<KnownOrigin>(maxOrigins);
  readonly #loads = new Map<string, RobotsLoad>();
  readonly #askAgain = new Set<string>();
  readonly #seeds = new Set<string>();
  /** Consecutive failures of an origin's name or certificate. */
  readonly #lastingFailures = new LruMap<number>(maxOrigins);
  #asksAnew: Set<string> | undefined;
  /** Two host names that were resolved, so that one always belongs to another host. */
  #wellKnown: readonly string[] = [];
  readonly #now: () => number;
  readonly #agent: string;
  /**
   * Why a robots.txt could not be fetched, for the error of a crawl that waits for it; preferably a retryable reason.
   */
  lastFailure: HoldfastError | undefined;

  constructor(options: RobotsGateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#agent = options.robotsToken ?? productToken(options.userAgent);
  }

  /** Ignores an earlier failure: a crawl that starts at this origin has nothing else to do. */
  askAgain(origin: string): void {
    this.#askAgain.add(origin);
    this.#seeds.add(origin);
  }

  /** Also ignores failures of other origins the first time: the run may have been resumed because they recovered. */
  askAnew(): void {
    this.#asksAnew = new Set();
  }

  /** Forgets failures recorded before this moment, so that the next verdict fetches again. */
  forgetFailure(url: string, before: number): boolean {
    const origin = originOf(url);
    const known = this.#origins.get(origin);
    if (!known?.failure || known.learnedAt >= before || isForbiddenForGood(origin, known.failure))
      return false;
    this.#origins.delete(origin);
    this.#askAgain.add(origin);
    return true;
  }

  /**
   * Whether a URL may be fetched, when to ask again, or why its origin has failed. Never waits: missing rules are
   * fetched in the background.
   */
  verdict(url: string, lease: RequestLease): 'allowed' | 'disallowed' | number | HoldfastError {
    const origin = originOf(url);
    const known = this.#origins.get(origin);
    if (known === undefined) {
      this.#bring(origin, lease);
      return loading;
    }
    const isExpired = known.expiresAt <= this.#now();
    if (known.failure) {
      if (isExpired) this.#origins.delete(origin);
      return known.fails ? known.failure : known.expiresAt;
    }
    if (isExpired) {
      this.#bring(origin, lease);
      if (this.#options.waitsForNew) return loading;
    }
    return known.matcher.allows(url) ? 'allowed' : 'disallowed';
  }

  /** Why the URLs of this origin wait, if they do. */
  failureOf(url: string): HoldfastError | undefined {
    return this.#origins.get(originOf(url))?.failure;
  }

  #bring(origin: string, lease: RequestLease): void {
    if (lease.signal.aborted || this.#options.signal.aborted) return;
    const running = this.#loads.get(origin);
    if (!running || running.signal.aborted) {
      const load = new RobotsLoad();
      load.join(lease);
      this.#loads.set(origin, load);
      void this.#load(origin, load);
      return;
    }
    running.join(lease);
    // The caller is about to request a permit for a page, and at a busy source would always get it first.
    const permit = running.give && this.#options.governor.tryAcquire(hostOf(`${origin}/`));
    if (permit && !('waitUntil' in permit)) running.give?.(permit);
  }

  async #load(origin: string, load: RobotsLoad): Promise<void> {
    const { signal, log, onLoaded } = this.#options;
    const end = () => load.end();
    signal.addEventListener('abort', end, { once: true, signal: load.signal });
    let sitemaps: readonly string[] = [];
    try {
      sitemaps = await this.#learn(origin, load);
    } catch (error) {
      // No caller is left, or none has a lease: the next caller starts over.
      if (load.signal.aborted || error instanceof RequestNotSent) return this.#forget(origin, load);
      // The database is probably down: try again shortly.
      log.warn({ err: error, origin }, 'Could not look up robots.txt; trying again');
      await delay(retryMs);
      await this.#options.db.query({ text: 'SELECT 1' }).catch(() => undefined);
    }
    this.#forget(origin, load);
    onLoaded(origin, sitemaps);
  }

  #forget(origin: string, load: RobotsLoad): void {
    load.end();
    if (this.#loads.get(origin) === load) this.#loads.delete(origin);
  }

  /** Returns the sitemaps that the origin names. */
  async #learn(origin: string, load: RobotsLoad): Promise<readonly string[]> {
    const { rules, failure, expiresInMs } = (await this.#cached(origin)) ?? (await this.#fetch(origin, load));
    const isForGood = failure !== undefined && isForbiddenForGood(origin, failure);
    if (failure && !isForGood && (failure.retry !== 'never' || this.lastFailure?.retry !== 'later'))
      this.lastFailure = failure;
    const matcher = createRobotsMatcher(rules, this.#agent);
    const { hostname } = new URL(origin);
    if (!failure && !this.#wellKnown.includes(hostname))
      this.#wellKnown = [hostname, ...this.#wellKnown].slice(0, 2);
    const nextTryMs = isForGood ? undefined : this.#nextTryMs(origin, failure);
    const learnedAt = this.#now();
    const expiresAt = learnedAt + (nextTryMs ?? expiresInMs);
    const isOver = failure !== undefined && isLasting(failure) && nextTryMs === undefined;
    const fails =
      isForGood || (isOver && (failure.code !== 'dns_failed' || (await this.#canResolve(hostname))));
    // Also without one: an earlier Crawl-delay may have been removed.
    await this.#options.governor.recordCrawlDelay(hostOf(`${origin}/`), matcher.crawlDelaySeconds ?? null);
    this.#origins.set(origin, { matcher, failure, fails, learnedAt, expiresAt });
    return rules.sitemaps;
  }

  /** When to retry an origin whose name or certificate failed; undefined: not while the failure is remembered. */
  #nextTryMs(origin: string, failure: HoldfastError | undefined): number | undefined {
    if (!failure || !isLasting(failure)) {
      this.#lastingFailures.delete(origin);
      return undefined;
    }
    const failed = this.#lastingFailures.get(origin) ?? 0;
    this.#lastingFailures.set(origin, failed + 1);
    return (this.#seeds.has(origin) ? seedTriesMs : triesMs)[failed];
  }

  /** Whether any name can be resolved. An offline machine must not fail all its remaining URLs. */
  async #canResolve(besides: string): Promise<boolean> {
    const { resolve = resolveHost } = this.#options;
    if (this.#wellKnown.length === 0) return true;
    const other = this.#wellKnown.find((hostname) => hostname !== besides);
    if (other === undefined) return false;
    return await resolve(other).then(
      () => true,
      () => false,
    );
  }

  async #cached(origin: string): Promise<Rules | undefined> {
    const [cached] = await loadRobots(this.#options.db, [origin]);
    if (!cached || (cached.outcome === 'disallow_all' && this.#mustAsk(origin))) return undefined;
    return rulesOf(cached);
  }

  #mustAsk(origin: string): boolean {
    const isFirst = this.#asksAnew !== undefined && !this.#asksAnew.has(origin);
    this.#asksAnew?.add(origin);
    return this.#askAgain.delete(origin) || isFirst;
  }

  async #fetch(origin: string, load: RobotsLoad): Promise<Rules> {
    const answer = await this.#ask(origin, load);
    if (answer instanceof HoldfastError) return await this.#failed(origin, answer);
    const { rules, verdict } = answer;
    const ttlSeconds = robotsCacheSeconds[verdict];
    await storeRobots(this.#options.db, { origin, outcome: verdict, rules, ttlSeconds });
    return { rules, failure: undefined, expiresInMs: ttlSeconds * 1000 };
  }

  /** The rules of robots.txt, or why they cannot be fetched. */
  async #ask(
    origin: string,
    load: RobotsLoad,
  ): Promise<{ rules: RobotsRules; verdict: RobotsVerdict } | HoldfastError> {
    const { fetcher, userAgent } = this.#options;
    const permit = await this.#permit(origin, load);
    const started = performance.now();
    let at = `${origin}/robots.txt`;
    try {
      const request = {
        url: at,
        userAgent,
        limits,
        // The start of a file of any length has rules; the body of an error response has none.
        enoughBytes: robotsBytes,
        acceptHead: ({ status }: { status: number }) => robotsVerdict(status) === 'parse',
        signal: load.signal,
        mayAsk: () => load.mayAsk(),
      };
      const onHop = ({ to }: { to: string }) => {
        at = to;
        return true;
      };
      const { response } = await fetchFollowing(fetcher, request, { maxHops, onHop });
      const { status, retryAfterSeconds } = response;
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds });
      const verdict = robotsVerdict(status);
      if (verdict === 'disallow_all')
        return new HoldfastError('robots_unreachable', `${origin}/robots.txt: HTTP ${status}`);
      const rules = verdict === 'parse' ? parseRobots(response.body ?? new Uint8Array()) : allowAll;
      return { rules, verdict };
    } catch (error) {
      if (error instanceof RequestNotSent) permit.cancel();
      else if (error instanceof HoldfastError)
        permit.done({ kind: 'error', code: error.code, host: hostOf(at) });
      else permit.done({ kind: 'error', code: 'aborted' });
      if (!(error instanceof HoldfastError)) throw error;
      // A proxy failure says nothing about the origin; the next caller tries again.
      if (error.code === 'proxy_failed') throw new RequestNotSent();
      // More than five redirects count as absent (RFC 9309, 2.3.1.2).
      if (error.code === 'too_many_redirects') return { rules: allowAll, verdict: 'allow_all' };
      return robotsFailure(origin, at, error);
    }
  }

  async #failed(origin: string, failure: HoldfastError): Promise<Rules> {
    const { db, log } = this.#options;
    const ttl = { origin, ttlSeconds: failureSeconds, copyDays: robotsCopyDays };
    // Failures of names, certificates and addresses may be local to this worker; others may reach the file.
    const holds = isOwnFailure(failure)
      ? await keepRobotsCopy(db, ttl)
      : await storeRobotsFailure(db, { ...ttl, rules: rulesOfFailure(failure) });
    if (!holds) return { rules: disallowAll, failure, expiresInMs: failureSeconds * 1000 };
    if (holds.copied_at)
      log.warn({ origin }, `${failure.message}; the rules of ${holds.copied_at.toISOString()} still apply`);
    return rulesOf(holds);
  }

  async #permit(origin: string, load: RobotsLoad): Promise<Permit> {
    const { governor } = this.#options;
    const host = hostOf(`${origin}/`);
    for (;;) {
      load.signal.throwIfAborted();
      if (!load.mayAsk()) throw new RequestNotSent();
      const answer = governor.tryAcquire(host);
      if (!('waitUntil' in answer)) return answer;
      const waitMs = Math.min(Math.max(answer.waitUntil - performance.now(), 5), 1_000);
      const given = await this.#untilReady(load, host, waitMs);
      if (given) return given;
    }
  }

  /**
   * Resolves when the governor reports the host ready, at the latest after `ms`; with a permit if another caller passed
   * on its own. A source that is being loaded is ready within milliseconds, long before the time in its refusal.
   */
  #untilReady(load: RobotsLoad, host: string, ms: number): Promise<Permit | undefined> {
    return new Promise((resolve) => {
      const over = (permit?: Permit) => {
        clearTimeout(timer);
        unsubscribe();
        load.signal.removeEventListener('abort', onAbort);
        load.give = undefined;
        resolve(permit);
      };
      const onAbort = () => over();
      const timer = setTimeout(over, ms);
      const unsubscribe = this.#options.governor.onReady((ready) => {
        if (ready === host) over();
      });
      load.signal.addEventListener('abort', onAbort);
      load.give = over;
    });
  }
}

function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', 8));
}

function rulesOf({ outcome, rules, expires_in_ms }: CachedRobots): Rules {
  const known = rules as RobotsRules;
  const failure = outcome === 'disallow_all' ? failureOfRules(known) : undefined;
  return { rules: known, failure, expiresInMs: expires_in_ms };
}
