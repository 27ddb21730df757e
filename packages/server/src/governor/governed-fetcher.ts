import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Configuration, HoldfastError, type HostCause } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { BlockedBy } from '../queue/jobs/waiting-jobs.ts';
import { fetchFollowing } from '../web/fetch/fetch-following.ts';
import { type FetchRequest, type FetchResponse, NotAsked } from '../web/fetch/fetcher.ts';
import { HttpFetcher } from '../web/fetch/http-fetcher.ts';
import { isLeased, type RequestLease } from '../web/fetch/request-lease.ts';
import { hostOf } from '../web/urls/host-of.ts';
import type { GovernedRun } from './pacing/governed-run.ts';
import { Governor } from './pacing/governor.ts';
import { governorTimes } from './pacing/governor-times.ts';
import type { Permit } from './pacing/permit.ts';
import { RobotsGate } from './robots/robots-gate.ts';
import { patienceMs, SourceBlocked } from './source-blocked.ts';

export interface GovernedFetcherOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Configuration;
  readonly onRequest?: (() => void) | undefined;
}

export interface GovernedOptions extends RequestLease {
  readonly maxHops: number;
  /** Whether robots.txt is asked first; it is, unless the place is an API that its operator was told to use. */
  readonly obeysRobots: boolean;
  readonly headersAreSecret?: boolean;
}

const lookMs = 250;

/** The way to the outside for the jobs of a pooled runner: each request and each redirect waits for its source's leave. */
export class GovernedFetcher {
  readonly #userAgent: string;
  readonly #fetcher: HttpFetcher;
  readonly #governor: Governor;
  readonly #governed: GovernedRun;
  readonly #robots: RobotsGate;
  readonly #over = new AbortController();

  constructor({ pool: db, log, configuration, onRequest }: GovernedFetcherOptions) {
    this.#userAgent = configuration.userAgent;
    this.#fetcher = new HttpFetcher({
      allowOrigins: configuration.allowPrivate,
      connectionsPerOrigin: 16,
      onRequest,
    });
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

  /** Fails with a HoldfastError, with SourceBlocked, or with the reason of the signal. */
  async fetch(request: FetchRequest, options: GovernedOptions): Promise<FetchResponse> {
    const { signal, maxHops, headersAreSecret } = options;
    const startedAt = performance.now();
    let host = hostOf(request.url);
    let permit = await this.#admitted(request.url, options, startedAt);
    let started = performance.now();
    const settle = (status: number, retryAfterSeconds?: number) =>
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds });
    try {
      const { response } = await fetchFollowing(
        this.#fetcher,
        // It may have stood still since it was admitted, and somebody else have the job.
        { userAgent: this.#userAgent, ...request, signal, mayAsk: () => isLeased(options) },
        {
          maxHops,
          headersAreSecret,
          onHop: async ({ to, status }) => {
            settle(status);
            host = hostOf(to);
            permit = await this.#admitted(to, options, startedAt);
            started = performance.now();
            return true;
          },
        },
      );
      settle(response.status, response.retryAfterSeconds);
      return response;
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : 'aborted';
      permit.done({ kind: 'error', code, host });
      throw error instanceof NotAsked ? leaseLost() : error;
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#governed.close();
    await this.#fetcher.close();
    await this.#governor.close();
  }

  /** Where a request to the host stands: what holds its source back now, or why it failed. */
  placeOf(host: string, otherwise: HostCause): BlockedBy {
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

  /** Waits for robots.txt and for the source's leave; not longer than patience, and never beyond the lease. */
  async #admitted(url: string, options: GovernedOptions, startedAt: number): Promise<Permit> {
    const { signal, obeysRobots } = options;
    this.#fetcher.checkUrl(url);
    const host = hostOf(url);
    const patienceEnds = performance.now() + patienceMs;
    let hasLookedAgain = false;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const verdict = obeysRobots ? this.#robots.verdict(url, options) : 'allowed';
      if (verdict === 'disallowed') throw new HoldfastError('robots_disallowed', url);
      if (verdict instanceof HoldfastError) throw verdict;
      let until: number;
      if (verdict === 'allowed') {
        const permit = this.#governed.tryAcquire(host);
        if (!('waitUntil' in permit)) {
          if (isLeased(options)) return permit;
          permit.cancel();
          throw leaseLost();
        }
        until = permit.waitUntil;
      } else {
        if (!isLeased(options)) throw leaseLost();
        // Each run asks anew: somebody may have started this one because robots.txt can be had again.
        if (this.#robots.forgetFailure(url, startedAt)) continue;
        // Rules that are on their way come soon; rules that could not be had are waited for elsewhere.
        const failure = this.#robots.failureOf(url);
        if (failure) throw failure;
        // Rules that are on their way come no sooner than their source lets them.
        until = Number.isFinite(verdict) ? verdict : Math.max(now, this.#governed.blockedUntil(host));
      }
      if (until > patienceEnds || now > patienceEnds) {
        const held = this.#governed.heldBy(host);
        // It may have been resumed since we last heard of it.
        if (held?.isKnown && !hasLookedAgain) {
          hasLookedAgain = true;
          await this.#governed.lookAgain(host);
          continue;
        }
        throw new SourceBlocked(until - now, this.placeOf(host, held?.cause ?? 'limit'));
      }
      await delay(Math.min(Math.max(until - now, 5), lookMs), undefined, { signal }).catch(() => undefined);
    }
  }
}

function leaseLost(): HoldfastError {
  return new HoldfastError('lease_lost', 'it could not be renewed in time');
}
