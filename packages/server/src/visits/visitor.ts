import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Configuration, HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { decodeHtml } from '../charset/decode-html.ts';
import { RobotsGate } from '../crawler/robots-gate.ts';
import { fetchFollowing } from '../fetch/fetch-following.ts';
import type { FetchResponse } from '../fetch/fetcher.ts';
import { HttpFetcher } from '../fetch/http-fetcher.ts';
import { extractProduct } from '../products/extract-product.ts';
import type { Product } from '../products/product.ts';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { failJobs } from '../queue/fail-jobs.ts';
import type { WriteOutcome } from '../queue/held-job.ts';
import { releaseJobs } from '../queue/release-jobs.ts';
import { retryJobsLater } from '../queue/retry-jobs-later.ts';
import type { StopReason } from '../runner/messages.ts';
import { type GovernedRun, Governor, type Permit } from '../sources/governor.ts';
import { governorTimes } from '../sources/governor-times.ts';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { hostOf } from '../urls/host-of.ts';
import { storeVisit } from './store-visit.ts';

export interface VisitorOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Configuration;
  readonly actor: string;
}

/** Why a visit ends before its page was read: the source is blocked for longer than a lease should be held for it. */
class SourceBlocked {
  readonly seconds: number;

  constructor(milliseconds: number) {
    this.seconds = Math.min(Math.max(1, Math.ceil(milliseconds / 1000)), 3_600);
  }
}

const patienceMs = 30_000;
const lookMs = 250;
const maxHops = 10;
const defaultTimeoutSeconds = 600;
const html = /^(text\/html|application\/xhtml\+xml)\b/i;

/** Our own bot: visits product pages, many at a time, through the governor and robots.txt, and stores what they offer. */
export class Visitor {
  readonly #options: VisitorOptions;
  readonly #fetcher: HttpFetcher;
  readonly #governor: GovernedRun;
  readonly #robots: RobotsGate;
  readonly #over = new AbortController();

  constructor(options: VisitorOptions) {
    const { pool: db, log, configuration } = options;
    this.#options = options;
    this.#fetcher = new HttpFetcher({ allowOrigins: configuration.allowPrivate, connectionsPerOrigin: 16 });
    this.#governor = new Governor({ db, log, ...governorTimes(configuration) }).openRun(`${randomUUID()}/1`);
    this.#robots = new RobotsGate({
      db,
      log,
      fetcher: this.#fetcher,
      governor: this.#governor,
      userAgent: configuration.userAgent,
      signal: this.#over.signal,
      onLoaded: () => {},
    });
  }

  /** Runs one job to its end. Whatever happens, the job has a holder's answer, or its lease is left to run out. */
  async visit(job: ClaimedJob, leaseEnds: () => number, signal: AbortSignal): Promise<WriteOutcome> {
    const { pool, log, actor } = this.#options;
    const seconds = job.timeout_seconds ?? defaultTimeoutSeconds;
    const timeUp = AbortSignal.timeout(seconds * 1000);
    const ended = AbortSignal.any([signal, timeUp]);
    try {
      const product = await this.#read(String(job.payload.url), leaseEnds, ended);
      if (product.price === null && product.inStock === null)
        throw new HoldfastError('product_not_found', String(job.payload.url));
      return await storeVisit(pool, job, product, actor);
    } catch (error) {
      if (signal.aborted) return await this.#stopped(job, signal.reason as StopReason);
      if (error instanceof SourceBlocked) {
        const release = { ...job, reason: 'its source is blocked', notBeforeSeconds: error.seconds };
        return (await releaseJobs(pool, [release], actor)).get(job) ?? 'lost';
      }
      const known = timeUp.aborted
        ? new HoldfastError('run_timed_out', `after ${seconds} s`)
        : error instanceof HoldfastError
          ? error
          : undefined;
      // Not an error of the page: the database is away, or we are wrong. The lease runs out and the job is tried again.
      if (!known) throw error;
      log.info({ job: job.id, code: known.code }, `A visit failed: ${known.message}`);
      const failed = [{ ...job, error: known, ...retryAfter(error) }];
      const end = known.retry === 'never' ? failJobs : retryJobsLater;
      return (await end(pool, failed, actor)).get(job) ?? 'lost';
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#governor.close();
    await this.#fetcher.close();
  }

  async #stopped(job: ClaimedJob, reason: StopReason): Promise<WriteOutcome> {
    if (reason === 'lost') return 'lost';
    const release = {
      ...job,
      reason: reason === 'drain' ? 'the supervisor is stopping' : `${reason} requested`,
    };
    return (await releaseJobs(this.#options.pool, [release], this.#options.actor)).get(job) ?? 'lost';
  }

  async #read(given: string, leaseEnds: () => number, signal: AbortSignal): Promise<Product> {
    const url = canonicalUrl(given, undefined, { keepTracking: true, keepSessions: true });
    if (url === null) throw new HoldfastError('url_invalid', given);
    const { userAgent } = this.#options.configuration;
    let permit = await this.#admitted(url, leaseEnds, signal);
    let started = performance.now();
    const settle = (status: number, retryAfterSeconds?: number) =>
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds });
    try {
      const { response } = await fetchFollowing(
        this.#fetcher,
        {
          url,
          userAgent,
          signal,
          acceptHead: ({ status, contentType }) => status === 200 && isHtml(contentType),
        },
        {
          maxHops,
          onHop: async ({ to, status }) => {
            settle(status);
            permit = await this.#admitted(to, leaseEnds, signal);
            started = performance.now();
            return true;
          },
        },
      );
      settle(response.status, response.retryAfterSeconds);
      return readProduct(response);
    } catch (error) {
      permit.done({ kind: 'error', code: error instanceof HoldfastError ? error.code : 'aborted' });
      throw error;
    }
  }

  /** Waits for robots.txt and for the source's leave; not longer than patience, and never beyond the lease. */
  async #admitted(url: string, leaseEnds: () => number, signal: AbortSignal): Promise<Permit> {
    const patienceEnds = performance.now() + patienceMs;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      const verdict = this.#robots.verdict(url);
      if (verdict === 'disallowed') throw new HoldfastError('robots_disallowed', url);
      let until: number;
      if (verdict === 'allowed') {
        const permit = this.#governor.tryAcquire(hostOf(url));
        if (!('waitUntil' in permit)) {
          if (performance.now() < leaseEnds()) return permit;
          permit.cancel();
          throw new HoldfastError('lease_lost', 'it could not be renewed in time');
        }
        until = permit.waitUntil;
      } else {
        // Rules that are on their way come soon; rules that could not be had are waited for elsewhere.
        if (Number.isFinite(verdict) && verdict > patienceEnds)
          throw new HoldfastError('robots_unreachable', this.#robots.lastFailure ?? url);
        until = Number.isFinite(verdict) ? verdict : now;
      }
      if (until > patienceEnds || now > patienceEnds) throw new SourceBlocked(until - now);
      await delay(Math.min(Math.max(until - now, 5), lookMs), undefined, { signal }).catch(() => undefined);
    }
  }
}

function isHtml(contentType: string | undefined): boolean {
  return contentType === undefined || html.test(contentType);
}

function readProduct(response: FetchResponse): Product {
  const { status, contentType, retryAfterSeconds, url } = response;
  if (status === 429 || status >= 500) {
    const error = new HoldfastError(status === 429 ? 'rate_limited' : 'site_error', `HTTP ${status}`);
    throw Object.assign(error, { retryAfterSeconds });
  }
  if (status !== 200) throw new HoldfastError('page_refused', `HTTP ${status}`);
  if (!response.body)
    throw new HoldfastError('product_not_found', `${contentType ?? 'no content'} is no page`);
  return extractProduct(decodeHtml(response.body, contentType).text, url);
}

function retryAfter(error: unknown): { retryAfterSeconds?: number } {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
}
