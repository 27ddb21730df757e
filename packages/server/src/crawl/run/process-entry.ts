import { HoldfastError } from '@holdfast/contract';
import type { Page, PageContent, UrlKind } from '../../pages/stored/page.ts';
import type { BodyPieces } from '../../web/fetch/body-pieces.ts';
import { type FetchHead, type FetchResponse, NotAsked } from '../../web/fetch/fetcher.ts';
import { maxRedirects } from '../../web/fetch/max-redirects.ts';
import { productToken } from '../../web/robots/product-token.ts';
import { sitemapLimits } from '../../web/sitemaps/sitemap-entry.ts';
import { asGiven, canonicalOptions } from '../../web/urls/canonical-options.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import type { FrontierEntry, PageBefore, Tries } from '../frontier/frontier-entry.ts';
import type { Admission } from './admit-entries.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { ComparePages } from './compare-pages.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { Discovery } from './discovery.ts';
import { fetchList } from './fetch-list.ts';
import { FindUrls } from './find-urls.ts';
import { forbidsFollowing } from './forbids-following.ts';
import type { HostQueues } from './host-queues.ts';
import { keepAnswer } from './keep-answer.ts';
import { type ReadBody, unfollowed } from './read-body.ts';
import { isReadable, readPage } from './read-page.ts';
import { readTextList, type UrlList } from './read-url-list.ts';
import { redirectFailure } from './redirect-failure.ts';
import { RedirectTrail } from './redirect-trail.ts';
import { nextTry } from './retry-delay.ts';
import { strategyOf } from './seed-urls.ts';
import { statusFailure } from './status-failure.ts';
import type { Unsaved } from './unsaved.ts';

/** URLs of one page or list that are added without looking whether there is room for more. */
const urlsAtOnce = 5_000;
/** Whoever reads a list has to see that there was more of it. */
const slackBytes = 1_048_576;

export interface ProcessOptions {
  readonly compare: ComparePages | undefined;
  readonly discovery: Discovery;
}

/** To be tried again then, by performance.now(), and how often it was tried. */
export interface Postponed extends Tries, Partial<Pick<FrontierEntry, 'url' | 'redirects'>> {
  readonly until: number;
}

type Outcome = Pick<Page, 'outcome'> & Partial<Page> & { content?: PageContent };

/** Does one frontier entry: fetches it, and turns whatever happens into a page, new URLs, or a later attempt. */
export class ProcessEntry {
  readonly #context: CrawlContext;
  readonly #checkpointer: Checkpointer;
  readonly #urls: FindUrls;
  readonly #compare: ComparePages | undefined;
  readonly #discovery: Discovery;
  /** Pages that the site calls unchanged although the baseline has lost them: asked for without a condition. */
  readonly #unconditional = new Set<string>();
  readonly #hosts: HostQueues;
  readonly #redirects = new RedirectTrail();
  /** What became of sitemaps whose requests have just ended. */
  readonly #sitemaps = new WeakMap<FrontierEntry, UrlList>();
  #listedUrls = 0;
  /** Our name in X-Robots-Tag. */
  readonly #agent: string;
  /** Fetched pages that no checkpoint has saved yet. */
  unsavedFetched = 0;

  constructor(
    context: CrawlContext,
    checkpointer: Checkpointer,
    hosts: HostQueues,
    { compare, discovery }: ProcessOptions,
  ) {
    this.#discovery = discovery;
    this.#context = context;
    this.#agent = productToken(context.userAgent);
    this.#compare = compare;
    this.#hosts = hosts;
    this.#checkpointer = checkpointer;
    this.#urls = new FindUrls(context, () => checkpointer.unsaved);
  }

  /** Sitemaps that a robots.txt names add to a crawl that follows links. */
  discovered(origin: string, sitemaps: readonly string[]): void {
    const { options } = this.#context;
    if (!options.discover || strategyOf(options) !== 'recursive') return;
    if (this.#urls.addSitemaps(origin, sitemaps)) this.#checkpointer.changed(null);
  }

  /** Resolves with when to try again, or with nothing when the entry is done. Rejects only when the run cannot go on. */
  async process(
    entry: FrontierEntry,
    admission: Admission,
    signal: AbortSignal,
  ): Promise<Postponed | undefined> {
    if ('skip' in admission) {
      this.#discovery.skipped(entry, admission.skip);
      return this.#done(entry, { outcome: 'skipped', reason: admission.skip });
    }
    if ('fail' in admission) return await this.#failed(entry, failure(admission.fail));
    const { permit } = admission;
    // What failed before says nothing new about its host when it fails again.
    const again = entry.attempts > 0;
    const started = performance.now();
    let response: FetchResponse;
    try {
      response =
        entry.kind === 'sitemap' ? await this.#fetchSitemap(entry, signal) : await this.#fetch(entry, signal);
    } catch (error) {
      if (error instanceof NotAsked) {
        permit.done({ kind: 'error', code: 'aborted' });
        return { until: performance.now(), attempts: entry.attempts, refusals: entry.refusals };
      }
      if (signal.aborted || !(error instanceof HoldfastError)) {
        permit.done({ kind: 'error', code: 'aborted' });
        throw error;
      }
      permit.done({ kind: 'error', code: error.code, host: entry.host, again });
      return await this.#failedOrLater(entry, error);
    }
    const { status, retryAfterSeconds } = response;
    // A list that was looked for on the off chance says nothing about the health of the site.
    if (entry.kind !== 'page' && status >= 500) permit.done({ kind: 'error', code: 'list_unavailable' });
    else
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started, retryAfterSeconds, again });
    if (signal.aborted) throw signal.reason;
    return await this.#answered(entry, response, signal);
  }

  /** The checkpoint that carried these is durable. */
  committed(unsaved: Unsaved): void {
    this.unsavedFetched -= unsaved.done.filter(({ page }) => page.outcome === 'fetched').length;
    for (const { url } of unsaved.found.values()) this.#context.known.add(url);
  }

  /** A sitemap may have 50 MB: what it lists joins the crawl while it comes. */
  async #fetchSitemap(entry: FrontierEntry, signal: AbortSignal): Promise<FetchResponse> {
    const { response, list } = await fetchList(
      (pieces) => this.#fetch(entry, signal, pieces),
      (url, kind) => this.#listed(url, kind, entry),
    );
    this.#sitemaps.set(entry, list);
    return response;
  }

  #listed(url: string, kind: UrlKind, from: FrontierEntry): Promise<void> | undefined {
    this.#urls.addListed(url, kind, from);
    return ++this.#listedUrls % urlsAtOnce === 0 ? this.#checkpointer.room() : undefined;
  }

  #fetch(entry: FrontierEntry, signal: AbortSignal, pieces?: BodyPieces): Promise<FetchResponse> {
    const { fetcher, options, userAgent, leaseEnds } = this.#context;
    // Of a list, as much as is read is better than nothing.
    const enoughBytes = {
      page: undefined,
      text: options.max_page_bytes,
      sitemap: sitemapLimits.maxBytes + slackBytes,
    }[entry.kind];
    const maxBytes = enoughBytes === undefined ? options.max_page_bytes : enoughBytes + slackBytes;
    return fetcher.fetch({
      url: entry.url,
      userAgent,
      signal,
      // It may have stood still since the entry was taken, and somebody else have the job.
      mayAsk: () => performance.now() < leaseEnds(),
      limits: { maxBytes, totalMs: options.page_timeout_seconds * 1000 },
      enoughBytes,
      take: pieces?.take,
      ...(entry.before && this.#isConditional(entry) && validators(entry.before)),
      acceptHead: (head: FetchHead) => head.status === 200 && (entry.kind !== 'page' || isReadable(head)),
    });
  }

  #isConditional({ url_hash }: FrontierEntry): boolean {
    return this.#compare?.knowsLinks === true && !this.#unconditional.has(url_hash);
  }

  async #answered(
    entry: FrontierEntry,
    response: FetchResponse,
    signal: AbortSignal,
  ): Promise<Postponed | undefined> {
    const { status } = response;
    if (status === 429 || status >= 500) {
      const code = status === 429 ? 'rate_limited' : 'site_error';
      return await this.#failedOrLater(entry, new HoldfastError(code, `HTTP ${status}`), response);
    }
    if (status === 304 && entry.before) return await this.#unchanged(entry, response);
    if (status >= 300 && status < 400 && status !== 304) return this.#redirected(entry, response);
    if (status !== 200) {
      // What discovery looked for on the off chance may well not be there.
      if (entry.kind !== 'page') return this.#done(entry, { outcome: 'skipped', reason: 'absent', status });
      return await this.#failed(entry, {
        ...failure(statusFailure(status)),
        status,
        reason: `http_${status}`,
      });
    }
    if (entry.kind !== 'page') return await this.#readList(entry, response);
    if (!response.body) {
      const reason = response.contentType ? 'content_type' : 'no_content';
      return this.#done(entry, {
        outcome: 'skipped',
        reason,
        status,
        content_type: response.contentType ?? null,
      });
    }
    const read = await this.#read(entry, response, response.body);
    if (signal.aborted) throw signal.reason;
    if (read instanceof HoldfastError) return await this.#failed(entry, { ...failure(read), status });
    const page = this.#compare ? await this.#compare.compared(entry, read) : read.page;
    this.#discovery.learn(entry, read.proof ?? null);
    await this.#addLinks(read, entry);
    this.unsavedFetched++;
    return this.#done(entry, { ...page, outcome: 'fetched' });
  }

  async #addLinks({ links, leftOut }: ReadBody, entry: FrontierEntry): Promise<void> {
    if (leftOut && this.#urls.follows) this.#urls.countLeftOut(leftOut, entry);
    if (links.length <= urlsAtOnce) {
      this.#urls.add(links, entry);
      return;
    }
    for (let at = 0; at < links.length; at += urlsAtOnce) {
      this.#urls.add(links.slice(at, at + urlsAtOnce), entry);
      await this.#checkpointer.room();
    }
  }

  async #unchanged(entry: FrontierEntry, response: FetchResponse): Promise<Postponed | undefined> {
    const unchanged = await this.#compare?.unchanged(entry, response);
    if (!unchanged) {
      this.#unconditional.add(entry.url_hash);
      return await this.#failedOrLater(entry, new HoldfastError('site_error', 'HTTP 304 to an unknown page'));
    }
    if (!this.#forbidsFollowing(response)) this.#urls.add(unchanged.links, entry);
    this.#discovery.learn(entry, null);
    this.unsavedFetched++;
    return this.#done(entry, { ...unchanged.page, outcome: 'fetched' }, 0);
  }

  /** One page that nobody foresaw must not end the run of all the others. */
  async #read(
    entry: FrontierEntry,
    response: FetchResponse,
    body: Buffer,
  ): Promise<ReadBody | HoldfastError> {
    try {
      const found = await readPage(
        entry.url,
        response,
        body,
        this.#context.reading,
        this.#compare?.hashOf(entry),
      );
      const read = this.#forbidsFollowing(response) ? unfollowed(found) : found;
      if (!this.#context.options.keep_bodies) return read;
      const kept = await keepAnswer(response, body);
      return { ...read, page: { ...read.page, content: { ...read.page.content, kept } } };
    } catch (error) {
      if (error instanceof HoldfastError) return error;
      throw error;
    }
  }

  #forbidsFollowing({ robotsTag }: FetchResponse): boolean {
    return robotsTag !== undefined && forbidsFollowing(robotsTag, this.#agent);
  }

  #redirected(entry: FrontierEntry, response: FetchResponse): Postponed | undefined {
    const { options } = this.#context;
    const { status, location } = response;
    const target = location === undefined ? null : this.#targetOf(location, entry);
    if (target === null) {
      return this.#done(entry, { ...failure(redirectFailure(response)), status });
    }
    if (entry.redirects >= maxRedirects || this.#redirects.leads(target, entry.url)) {
      return this.#done(entry, {
        ...failure(new HoldfastError('too_many_redirects', target)),
        status,
        target_url: target,
      });
    }
    // The seed's own redirect says where the site lives: example.com → www.example.com.
    // A sitemap that discovery guessed may lead anywhere.
    const isSeed = entry.kind === 'page' || strategyOf(options) !== 'recursive';
    if (isSeed && entry.parent === null && entry.depth === 0) this.#discovery.admitSeed(target);
    this.#redirects.add(entry.url, target);
    // The same URL in another spelling has no entry of its own: this one asks again.
    if (this.#urls.areOne(target, entry.url))
      return {
        until: performance.now(),
        attempts: entry.attempts,
        refusals: entry.refusals,
        url: target,
        redirects: entry.redirects + 1,
      };
    this.#discovery.learn(entry, null);
    this.#urls.addRedirect(target, entry);
    // What was a page and leads elsewhere now is no page any more, wherever it leads.
    const change = this.#compare && entry.before ? 'gone' : null;
    return this.#done(entry, { outcome: 'redirected', status, target_url: target, change });
  }

  /**
   * Without tracking, as a link to it would be known: two campaigns lead to one page. As the server gave it, where tracking is
   * all that it adds and the shorter form would lead back here. Session ids always stay: a site that adds one wants to see it.
   */
  #targetOf(location: string, { url }: FrontierEntry): string | null {
    const { options, urlRules } = this.#context;
    const known = canonicalOptions(options, urlRules);
    const short = canonicalUrl(location, url, { ...known, keepSessions: true });
    if (short === null || (short !== url && !this.#redirects.leads(short, url))) return short;
    return canonicalUrl(location, url, asGiven(known));
  }

  async #readList(entry: FrontierEntry, response: FetchResponse): Promise<undefined> {
    const { reason, message, leftOut } = this.#sitemaps.get(entry) ?? (await this.#readText(entry, response));
    this.#sitemaps.delete(entry);
    this.#urls.countLeftOut(leftOut, entry);
    const page: Outcome = {
      outcome: 'skipped',
      reason,
      message: message ?? null,
      status: response.status,
      bytes: response.body?.length || response.bytesOnWire,
    };
    return this.#done(entry, page);
  }

  async #readText(entry: FrontierEntry, { body, contentType }: FetchResponse): Promise<UrlList> {
    if (!body) return { reason: 'absent', leftOut: {} };
    const isCut = body.length > this.#context.options.max_page_bytes;
    return await readTextList(entry.url, body, contentType, isCut, (url, kind) =>
      this.#listed(url, kind, entry),
    );
  }

  /** For good. A page that was there before is gone, or is still what it was and leads where it led. */
  async #failed(entry: FrontierEntry, outcome: Outcome): Promise<undefined> {
    if (!this.#compare) return this.#done(entry, outcome);
    const isAway = outcome.status === 404 || outcome.status === 410;
    if (!entry.before) {
      const earlier = await this.#compare.earlier(entry);
      if (isAway && earlier?.isSame) return this.#done(entry, { ...outcome, change: 'gone' });
      if (!isAway) this.#urls.add(earlier?.links ?? [], entry);
      return this.#done(entry, outcome);
    }
    if (isAway) return this.#done(entry, { ...outcome, change: 'gone' });
    const { page, links } = await this.#compare.kept(entry);
    this.#urls.add(links, entry);
    return this.#done(entry, { ...page, ...outcome }, 0);
  }

  async #failedOrLater(
    entry: FrontierEntry,
    error: HoldfastError,
    response?: FetchResponse,
  ): Promise<Postponed | undefined> {
    const { options, governor } = this.#context;
    const isRefused =
      response?.status === 429 || (response?.status === 503 && governor.isOverloaded(entry.host));
    const next = nextTry(entry, error, options.attempts, isRefused, response?.retryAfterSeconds);
    if (next === null) {
      const status = response?.status ?? null;
      return await this.#failed(entry, { ...failure(error), status });
    }
    const { host, seq } = entry;
    this.#checkpointer.unsaved.postponed.set(seq, { host, seq, ...next });
    this.#checkpointer.changed(entry.url);
    return next;
  }

  #done(entry: FrontierEntry, outcome: Outcome, received = outcome.bytes ?? 0): undefined {
    const { url, url_hash, kind, depth, parent, attempts } = entry;
    const page = {
      // First: V8 copies a whole object at once only there.
      ...outcome,
      url,
      url_hash,
      kind,
      depth,
      parent,
      attempts: attempts + 1,
      fetched_at: new Date(),
    };
    this.#context.suspects.delete(url_hash);
    const counts = kind === 'page' ? placesOf(outcome.outcome) - placesOf(entry.retry_of) : 0;
    this.#hosts.of(entry.host).pages += counts;
    this.#checkpointer.unsaved.postponed.delete(entry.seq);
    this.#checkpointer.unsaved.done.push({ entry, page, counts });
    this.#checkpointer.unsaved.addOffScope(this.#urls.leftOutOf(entry));
    this.#checkpointer.unsaved.bytes += received;
    this.#checkpointer.changed(url);
    return undefined;
  }
}

/** Places of its host's limit that a page takes. */
function placesOf(outcome: Page['outcome'] | null): number {
  return outcome === 'fetched' || outcome === 'failed' ? 1 : 0;
}

/** Some sites send what no request may hold. */
const sendable = /^[\x20-\x7e]{1,1000}$/;

function validators({ etag, lastModified }: PageBefore) {
  return {
    ifNoneMatch: etag !== null && sendable.test(etag) ? etag : undefined,
    ifModifiedSince: lastModified !== null && sendable.test(lastModified) ? lastModified : undefined,
  };
}

function failure(error: HoldfastError): Outcome {
  return { outcome: 'failed', reason: error.code, message: error.message };
}
