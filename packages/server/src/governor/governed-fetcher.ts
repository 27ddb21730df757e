import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Configuration, HoldfastError, type HostCause } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { BlockedBy } from '../queue/jobs/waiting-jobs.ts';
import { fetchFollowing } from '../web/fetch/fetch-following.ts';
import {
  type Fetcher,
  type FetchRequest,
  type FetchResponse,
  isLeased,
  type RequestLease,
  RequestNotSent,
} from '../web/fetch/fetcher.ts';
import { HttpFetcher } from '../web/fetch/http-fetcher.ts';
import type { ProxyEndpoint } from '../web/proxy/proxy-endpoint.ts';
import { hostOf } from '../web/urls/canonical-url.ts';
import { RequestSigner } from './identity/request-signer.ts';
import type { GovernedRun } from './pacing/governed-run.ts';
import { Governor, governorTimes } from './pacing/governor.ts';
import type { Permit } from './pacing/permit.ts';
import { ProxyRoutes } from './proxies/proxy-routes.ts';
import { RobotsGate } from './robots/robots-gate.ts';

interface GovernedFetcherOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Configuration;
  readonly onRequest?: (() => void) | undefined;
}

interface GovernedOptions extends RequestLease {
  readonly maxHops: number;
  /** Whether robots.txt is checked first; false only for APIs that the operator configured. */
  readonly obeysRobots: boolean;
  readonly headersAreSecret?: boolean;
}

/** A run whose source is blocked for longer than this gives its job back instead of waiting. */
export const patienceMs = 30_000;
const pollMs = 250;

/** Fetches for the jobs of a pooled runner. Each request, and each redirect, waits for a permit of its source. */
export class GovernedFetcher {
  readonly #userAgent: string;
  readonly #http: HttpFetcher;
  readonly #fetcher: Fetcher;
  readonly #proxies: ProxyRoutes;
  readonly #governor: Governor;
  readonly #governed: GovernedRun;
  readonly #robots: RobotsGate;
  readonly #over = new AbortController();
  readonly #signerReady: Promise<void>;

  constructor({ pool: db, log, configuration, onRequest }: GovernedFetcherOptions) {
    this.#userAgent = configuration.userAgent;
    const signer = new RequestSigner({ db, log, configuration });
    this.#signerReady = signer.load();
    this.#http = new HttpFetcher({
      allowOrigins: configuration.allowPrivate,
      connectionsPerOrigin: 16,
      onRequest,
      identity: (url) => signer.headersFor(url),
    });
    this.#proxies = new ProxyRoutes({ db, log, configuration });
    this.#fetcher = this.#proxies.over(this.#http);
    this.#governor = new Governor({ db, log, ...governorTimes(configuration) });
    this.#governed = this.#governor.openRun(`${randomUUID()}/1`, { everyCounts: true });
    this.#robots = new RobotsGate({
      db,
      log,
      fetcher: this.#fetcher,
      governor: this.#governed,
      userAgent: configuration.userAgent,
      signal: this.#over.signal,
      waitsForNew: true,
      onLoaded: () => {},
    });
  }

  /** Throws a HoldfastError, SourceBlocked, or the reason of the signal. */
  async fetch(request: FetchRequest, options: GovernedOptions): Promise<FetchResponse> {
    const { signal, maxHops, headersAreSecret, session } = options;
    await this.#signerReady;
    const startedAt = performance.now();
    let host = hostOf(request.url);
    let permit = await this.#admit(request.url, options, startedAt);
    let started = performance.now();
    const settle = (status: number, retryAfterSeconds?: number) =>
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds });
    try {
      const { response } = await fetchFollowing(
        this.#fetcher,
        // The process may have been suspended since the request was admitted, and the job been taken over.
        { userAgent: this.#userAgent, ...request, signal, mayAsk: () => isLeased(options) },
        {
          maxHops,
          headersAreSecret,
          session,
          onHop: async ({ to, status }) => {
            settle(status);
            host = hostOf(to);
            permit = await this.#admit(to, options, startedAt);
            started = performance.now();
            return true;
          },
        },
      );
      settle(response.status, response.retryAfterSeconds);
      return response;
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : 'aborted';
      // The site works; it only asks who we are.
      if (code === 'sign_in_expired') settle(401);
      else permit.done({ kind: 'error', code, host });
      if (!(error instanceof RequestNotSent)) throw error;
      if (error.until === 0) throw leaseLost();
      throw new SourceBlocked(error.until - performance.now(), this.blockedBy(host, 'proxy'));
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#governed.close();
    await this.#fetcher.close();
    await this.#proxies.close();
    await this.#governor.close();
  }

  /** For rendering an answer: the proxy that it came through. */
  viaOf(response: FetchResponse): { readonly via?: ProxyEndpoint } {
    return this.#proxies.viaOf(response);
  }

  /** What holds the host's source back now, or why the request failed. */
  blockedBy(host: string, otherwise: HostCause): BlockedBy {
    const held = this.#governed.heldBy(host);
    const sources = held ? [held.sourceId] : [];
    return {
      cause: held?.isKnown ? held.cause : otherwise,
      host,
      source: held?.sourceId ?? null,
      hosts: 1,
      sources,
      paused: held?.isKnown ? sources : [],
    };
  }

  /** Waits for robots.txt and a permit of the source, no longer than `patienceMs` and never beyond the lease. */
  async #admit(url: string, options: GovernedOptions, startedAt: number): Promise<Permit> {
    const { signal, obeysRobots } = options;
    this.#http.checkUrl(url);
    const host = hostOf(url);
    const patienceEnds = performance.now() + patienceMs;
    let hasLookedAgain = false;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const restsUntil = this.#proxies.blockedUntil(host);
      if (restsUntil > patienceEnds) throw new SourceBlocked(restsUntil - now, this.blockedBy(host, 'proxy'));
      const verdict = obeysRobots ? this.#robots.verdict(url, options) : 'allowed';
      if (verdict === 'disallowed') throw new HoldfastError('robots_disallowed', url);
      if (verdict instanceof HoldfastError) throw verdict;
      let until: number;
      if (restsUntil > now) {
        until = restsUntil;
      } else if (verdict === 'allowed') {
        const permit = this.#governed.tryAcquire(host);
        if (!('waitUntil' in permit)) {
          if (isLeased(options)) return permit;
          permit.cancel();
          throw leaseLost();
        }
        until = permit.waitUntil;
      } else {
        if (!isLeased(options)) throw leaseLost();
        // Each run asks again: it may have been started because robots.txt is reachable again.
        if (this.#robots.forgetFailure(url, startedAt)) continue;
        // Rules that are being loaded come soon; after a failure the job waits elsewhere.
        const failure = this.#robots.failureOf(url);
        if (failure) throw failure;
        // Rules that are being loaded have to wait for their source too.
        until = Number.isFinite(verdict) ? verdict : Math.max(now, this.#governed.blockedUntil(host));
      }
      if (until > patienceEnds || now > patienceEnds) {
        const held = this.#governed.heldBy(host);
        // The source may have been resumed since its state was read.
        if (held?.isKnown && !hasLookedAgain) {
          hasLookedAgain = true;
          await this.#governed.lookAgain(host);
          continue;
        }
        throw new SourceBlocked(until - now, this.blockedBy(host, held?.cause ?? 'limit'));
      }
      await delay(Math.min(Math.max(until - now, 5), pollMs), undefined, { signal }).catch(() => undefined);
    }
  }
}

function leaseLost(): HoldfastError {
  return new HoldfastError('lease_lost', 'it was not renewed in time');
}

const maxBlockedSeconds = 3_600;

/** Ends a run before its request: the source is blocked for longer than a lease should be held. */
export class SourceBlocked {
  readonly seconds: number;
  readonly by: BlockedBy;

  constructor(milliseconds: number, by: BlockedBy) {
    this.by = by;
    this.seconds = Math.min(Math.max(1, Math.ceil(milliseconds / 1000)), maxBlockedSeconds);
  }
}
