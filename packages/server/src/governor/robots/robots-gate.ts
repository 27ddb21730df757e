import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { LruMap } from '../../base/collections/lru-map.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { type ResolveHost, resolveHost } from '../../web/fetch/connection.ts';
import { fetchFollowing } from '../../web/fetch/fetch-following.ts';
import { type Fetcher, NotAsked, type RequestLease } from '../../web/fetch/fetcher.ts';
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
  /** Aborted when nobody will ask again. */
  readonly signal: AbortSignal;
  /** Who asks once and goes away waits for new rules when the old ones have expired; a crawl need not stand still for them. */
  readonly waitsForNew?: boolean;
  /** Rules of an origin have come, or can be asked for again. */
  readonly onLoaded: (origin: string, sitemaps: readonly string[]) => void;
  /** The monotonic clock. */
  readonly now?: () => number;
  readonly resolve?: ResolveHost;
}

interface KnownOrigin {
  readonly matcher: RobotsMatcher;
  /** Why robots.txt could not be had: the origin's URLs wait until this has expired. */
  readonly failure: HoldfastError | undefined;
  /** Nothing of the origin can be had, now or ever: its URLs fail. */
  readonly fails: boolean;
  /** By the monotonic clock. */
  readonly learnedAt: number;
  /** By the monotonic clock. A run may outlive what it knows by days. */
  readonly expiresAt: number;
}

/** What holds for an origin, and for how long. */
interface Rules {
  readonly rules: RobotsRules;
  readonly failure: HoldfastError | undefined;
  readonly expiresInMs: number;
}

const limits = { totalMs: 20_000 };
const maxHops = 5;
const loading = Number.POSITIVE_INFINITY;
const retryMs = 1_000;
/** More than the hosts worked on at once; what is forgotten is in the database's cache. */
const maxOrigins = 2_000;
const failureSeconds = robotsCacheSeconds.disallow_all;
/**
 * An origin whose own name or certificate fails is asked again after these times, so that a passing fault is not taken for a
 * lasting one. Then its URLs fail, each with the reason. The short ones are for where a crawl begins: somebody may be waiting.
 */
const triesMs = [1_000, 8_000];
const seedTriesMs = [500, 1_000];

/** Asks robots.txt before every URL. Rules are cached in the database for all workers, refusals included. */
export class RobotsGate {
  readonly #options: RobotsGateOptions;
  readonly #origins = new LruMap<KnownOrigin>(maxOrigins);
  readonly #loads = new Map<string, RobotsLoad>();
  readonly #askAgain = new Set<string>();
  readonly #seeds = new Set<string>();
  /** How often the name or the certificate of an origin has failed in a row. */
  readonly #lastingFailures = new LruMap<number>(maxOrigins);
  #asksAnew: Set<string> | undefined;
  /** Two host names that could be resolved, so that one is always another's. */
  #wellKnown: readonly string[] = [];
  readonly #now: () => number;
  readonly #agent: string;
  /** Why a robots.txt could not be had, for the error of a crawl that waits for it; rather one that is tried again. */
  lastFailure: HoldfastError | undefined;

  constructor(options: RobotsGateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#agent = options.robotsToken ?? productToken(options.userAgent);
  }

  /** Does not take an earlier failure for an answer: a crawl that begins there has nothing else to do. */
  askAgain(origin: string): void {
    this.#askAgain.add(origin);
    this.#seeds.add(origin);
  }

  /** Nor that of any other origin, the first time: a run that goes on with a crawl may have been started because all is well again. */
  askAnew(): void {
    this.#asksAnew = new Set();
  }

  /** Forgets a failure that was met before this moment, so that the next verdict asks. */
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
   * Whether a URL may be fetched, when to ask again, or why nothing of its origin can ever be had. Nothing here waits: what
   * is not there yet is fetched, on behalf of whoever asks.
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

  /** Why the URLs of this one's origin wait, if they do. */
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
    // Whoever asks is about to take the governor's leave for a page, and at a busy source would be first every time.
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
      // Nobody wants them any more, or nobody has a lease: whoever asks next begins anew.
      if (load.signal.aborted || error instanceof NotAsked) return this.#forget(origin, load);
      // The database is away, most likely: asked again in a moment.
      log.warn({ err: error, origin }, 'robots.txt could not be looked up; trying again');
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
    // Also when there is none: an earlier one may have been taken back.
    await this.#options.governor.recordCrawlDelay(hostOf(`${origin}/`), matcher.crawlDelaySeconds ?? null);
    this.#origins.set(origin, { matcher, failure, fails, learnedAt, expiresAt });
    return rules.sitemaps;
  }

  /** When an origin whose own name or certificate failed is asked again; undefined: not as long as the failure is remembered. */
  #nextTryMs(origin: string, failure: HoldfastError | undefined): number | undefined {
    if (!failure || !isLasting(failure)) {
      this.#lastingFailures.delete(origin);
      return undefined;
    }
    const failed = this.#lastingFailures.get(origin) ?? 0;
    this.#lastingFailures.set(origin, failed + 1);
    return (this.#seeds.has(origin) ? seedTriesMs : triesMs)[failed];
  }

  /** Whether names can be resolved at all. A machine that is offline must not write off every URL it has left. */
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

  /** What robots.txt says, or why it cannot be had. */
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
        // A file of any length has rules at its start; the body of a refusal has none.
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
      if (error instanceof NotAsked) permit.cancel();
      else if (error instanceof HoldfastError)
        permit.done({ kind: 'error', code: error.code, host: hostOf(at) });
      else permit.done({ kind: 'error', code: 'aborted' });
      if (!(error instanceof HoldfastError)) throw error;
      // A failure of the proxy says nothing about the origin; whoever asks next tries again.
      if (error.code === 'proxy_failed') throw new NotAsked();
      // Five redirects and still no file: it counts as not there (RFC 9309, 2.3.1.2).
      if (error.code === 'too_many_redirects') return { rules: allowAll, verdict: 'allow_all' };
      return robotsFailure(origin, at, error);
    }
  }

  async #failed(origin: string, failure: HoldfastError): Promise<Rules> {
    const { db, log } = this.#options;
    const ttl = { origin, ttlSeconds: failureSeconds, copyDays: robotsCopyDays };
    // Names, certificates and addresses are this worker's own view: another worker may well get the file.
    const holds = isOwnFailure(failure)
      ? await keepRobotsCopy(db, ttl)
      : await storeRobotsFailure(db, { ...ttl, rules: rulesOfFailure(failure) });
    if (!holds) return { rules: disallowAll, failure, expiresInMs: failureSeconds * 1000 };
    if (holds.copied_at)
      log.warn({ origin }, `${failure.message}; the rules of ${holds.copied_at.toISOString()} hold on`);
    return rulesOf(holds);
  }

  async #permit(origin: string, load: RobotsLoad): Promise<Permit> {
    const { governor } = this.#options;
    const host = hostOf(`${origin}/`);
    for (;;) {
      load.signal.throwIfAborted();
      if (!load.mayAsk()) throw new NotAsked();
      const answer = governor.tryAcquire(host);
      if (!('waitUntil' in answer)) return answer;
      const waitMs = Math.min(Math.max(answer.waitUntil - performance.now(), 5), 1_000);
      const given = await this.#untilReady(load, host, waitMs);
      if (given) return given;
    }
  }

  /**
   * Resolves when the governor calls the host ready, at the latest after `ms`; with a permit when somebody who asked for a
   * verdict gave his. A source that is being loaded is there within milliseconds, not when its refusal said to ask again: a
   * crawl's first page used to wait a second for it.
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
