import { HoldfastError } from '@holdfast/contract';
import type { Page, PageContent } from '../../pages/stored/page.ts';
import { maxRedirects } from '../../web/fetch/fetch-following.ts';
import { type FetchResponse, RequestNotSent } from '../../web/fetch/fetcher.ts';
import { refusedLater, statusFailure } from '../../web/fetch/status-error.ts';
import { productToken } from '../../web/robots/robots-rules.ts';
import { hostOf } from '../../web/urls/canonical-url.ts';
import type { FrontierEntry, Tries } from '../frontier/frontier-entry.ts';
import { returnRedirect } from '../frontier/return-pages.ts';
import type { ReadBody } from '../reading/read-result.ts';
import type { ScriptRedirect } from '../render/page-rendering.ts';
import type { Carried } from '../session/crawl-session.ts';
import { type SignInTrouble, SignInWatch } from '../session/sign-in-watch.ts';
import type { Admission } from './admit-entries.ts';
import { type Checkpointer, type Unsaved, urlsAtOnce } from './checkpointer.ts';
import type { ComparePages } from './compare-pages.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { Discovery } from './discovery.ts';
import { FindUrls, strategyOf } from './find-urls.ts';
import type { HostQueues } from './host-queues.ts';
import { asksNotToFollow, readAnswer } from './read-answer.ts';
import { CookiesSent, Redirects } from './redirects.ts';
import { RequestEntry } from './request-entry.ts';
import { nextTry } from './retry-delay.ts';
import { UrlLists } from './url-lists.ts';

export interface ProcessOptions {
  /** Set in a recrawl. */
  readonly compare: ComparePages | undefined;
  readonly discovery: Discovery;
  /** The site no longer accepts the profile's sign-in. */
  readonly onSignedOut: (error: HoldfastError) => void;
}

/** When to try an entry again, by performance.now(), and how often it was tried. */
export interface Postponed extends Tries, Partial<Pick<FrontierEntry, 'url' | 'redirects'>> {
  readonly until: number;
}

type Outcome = Pick<Page, 'outcome'> & Partial<Page> & { content?: PageContent };

/** Processes one frontier entry: fetches it and turns the response into a page, new URLs, or a retry. */
export class ProcessEntry {
  readonly #context: CrawlContext;
  readonly #checkpointer: Checkpointer;
  readonly #hosts: HostQueues;
  readonly #compare: ComparePages | undefined;
  readonly #discovery: Discovery;
  readonly #urls: FindUrls;
  readonly #lists: UrlLists;
  readonly #requests: RequestEntry;
  readonly #redirects: Redirects;
  readonly #askedWith = new CookiesSent();
  readonly #signIn: SignInWatch;
  /** Our name in X-Robots-Tag. */
  readonly #agent: string;
  /** Fetched pages that no checkpoint has saved yet. */
  unsavedFetched = 0;

  constructor(
    context: CrawlContext,
    checkpointer: Checkpointer,
    hosts: HostQueues,
    { compare, discovery, onSignedOut }: ProcessOptions,
  ) {
    this.#context = context;
    this.#checkpointer = checkpointer;
    this.#hosts = hosts;
    this.#compare = compare;
    this.#discovery = discovery;
    this.#agent = context.options.robots_token ?? productToken(context.userAgent);
    this.#urls = new FindUrls(context, () => checkpointer.unsaved);
    this.#lists = new UrlLists(this.#urls, checkpointer, context.options.max_page_bytes);
    this.#requests = new RequestEntry(context, this.#lists, compare?.knowsLinks === true);
    this.#redirects = new Redirects(context);
    this.#signIn = new SignInWatch(context, onSignedOut);
  }

  /** Sitemaps that a robots.txt names add to a crawl that follows links. */
  discovered(origin: string, sitemaps: readonly string[]): void {
    const { options } = this.#context;
    if (!options.discover || strategyOf(options) !== 'recursive') return;
    if (this.#urls.addSitemaps(origin, sitemaps)) this.#checkpointer.changed(null);
  }

  /**
   * Resolves with the time of the retry, or undefined when the entry is done. Rejects only if the run cannot continue.
   */
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
    // A repeated failure says nothing new about the host.
    const again = entry.attempts > 0;
    const started = performance.now();
    let response: FetchResponse;
    try {
      response = await this.#requests.fetch(entry, signal);
    } catch (error) {
      if (error instanceof RequestNotSent) {
        permit.done({ kind: 'error', code: 'aborted' });
        return askAgain(entry, { until: Math.max(performance.now(), error.until) });
      }
      if (signal.aborted || !(error instanceof HoldfastError)) {
        permit.done({ kind: 'error', code: 'aborted' });
        throw error;
      }
      permit.done({ kind: 'error', code: error.code, host: entry.host, again });
      return await this.#failedOrLater(entry, error);
    }
    const { status, retryAfterSeconds } = response;
    // A failed guess of discovery says nothing about the health of the site.
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

  async #answered(
    entry: FrontierEntry,
    response: FetchResponse,
    signal: AbortSignal,
  ): Promise<Postponed | undefined> {
    const { status } = response;
    const verdict = this.#context.escalations.judge(entry, response, this.#context);
    if (verdict === 'again') return askAgain(entry);
    if (verdict instanceof HoldfastError) return await this.#failed(entry, { ...failure(verdict), status });
    const isChallenge = verdict === 'render';
    const later = isChallenge ? undefined : refusedLater(response);
    if (later) return await this.#failedOrLater(entry, later, response);
    const { session } = this.#context;
    const carried = this.#requests.carriedBy(entry);
    const trouble = await this.#signIn.ofHead(entry, response, carried, signal);
    if (trouble) return await this.#notSignedIn(entry, trouble, response);
    // The page may be a sign-in page, whose cookies belong to an anonymous visitor.
    const mayBeSignIn =
      carried.profile !== null && status === 200 && entry.kind === 'page' && response.body !== undefined;
    if (!mayBeSignIn) await session.receive(entry.url, response, carried);
    if (status === 304 && entry.before) return await this.#unchanged(entry, response);
    if (status >= 300 && status < 400 && status !== 304) return await this.#redirected(entry, response);
    if (status !== 200 && !isChallenge) {
      // URLs guessed by discovery are often absent.
      if (entry.kind !== 'page') return this.#done(entry, { outcome: 'skipped', reason: 'absent', status });
      return await this.#failed(entry, {
        ...failure(statusFailure(status, response.headers)),
        status,
        reason: `http_${status}`,
      });
    }
    if (entry.kind !== 'page') return await this.#readList(entry, response);
    if (!response.body) {
      const reason = response.contentType ? 'content_type' : 'no_content';
      // The size that the site states; the file itself is not downloaded.
      const bytes = Math.min(response.contentLength ?? Number.NaN, 2 ** 31 - 1) || null;
      const file = { content_type: response.contentType ?? null, bytes };
      return this.#done(entry, { outcome: 'skipped', reason, status, ...file }, 0);
    }
    if (this.#requests.isOverlyEager(entry, response)) return askAgain(entry);
    const answer = await this.#read(entry, response, response.body, signal, isChallenge);
    if (signal.aborted) throw signal.reason;
    if (answer instanceof HoldfastError) {
      if (mayBeSignIn) await session.receive(entry.url, response, carried);
      if (answer.retry === 'later') return await this.#failedOrLater(entry, answer, response);
      return await this.#failed(entry, { ...failure(answer), status });
    }
    if ('redirect' in answer) {
      const redirect = { ...response, location: answer.redirect };
      const trouble = await this.#signIn.ofHead(entry, redirect, carried, signal);
      if (trouble) return await this.#notSignedIn(entry, trouble, response);
      return await this.#redirected(entry, redirect);
    }
    if (mayBeSignIn) {
      const trouble = await this.#signIn.ofPage(entry, answer.signInForm, carried, signal);
      if (trouble === 'sign_in_page')
        return this.#done(entry, { outcome: 'skipped', reason: 'sign_in_page', status });
      if (trouble) return await this.#notSignedIn(entry, trouble, response);
      await session.receive(entry.url, response, carried);
    }
    const page = this.#compare ? await this.#compare.compared(entry, answer) : answer.page;
    this.#discovery.learn(entry, answer.proof ?? null);
    await this.#addLinks(answer, entry);
    this.unsavedFetched++;
    return this.#done(entry, { ...page, outcome: 'fetched' });
  }

  /** A page that cannot be parsed fails without ending the run. */
  async #read(
    entry: FrontierEntry,
    response: FetchResponse,
    body: Buffer,
    signal: AbortSignal,
    isChallenge: boolean,
  ): Promise<ReadBody | ScriptRedirect | HoldfastError> {
    try {
      return await readAnswer(entry, response, body, {
        reading: this.#context.reading,
        rendering: this.#context.rendering,
        signal,
        isChallenge,
        agent: this.#agent,
        keepBodies: this.#context.options.keep_bodies,
        baselineHash: this.#compare?.hashOf(entry),
      });
    } catch (error) {
      if (error instanceof HoldfastError) return error;
      throw error;
    }
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
      this.#requests.withoutCondition(entry);
      return await this.#failedOrLater(entry, new HoldfastError('site_error', 'HTTP 304 to an unknown page'));
    }
    if (!asksNotToFollow(response, this.#agent)) this.#urls.add(unchanged.links, entry);
    this.#discovery.learn(entry, null);
    this.unsavedFetched++;
    return this.#done(entry, { ...unchanged.page, outcome: 'fetched' }, 0);
  }

  async #redirected(entry: FrontierEntry, response: FetchResponse): Promise<Postponed | undefined> {
    const { status } = response;
    const { target, error } = this.#redirects.follow(entry, response);
    const carried = this.#requests.carriedBy(entry);
    if (error?.code === 'too_many_redirects' && target && (await this.#asksAgain(entry, target, carried))) {
      if (this.#urls.areOne(target, entry.url)) return askAgain(entry, { redirects: entry.redirects + 1 });
      return this.#done(entry, { outcome: 'redirected', status, target_url: target });
    }
    this.#askedWith.note(entry.url, carried);
    if (error) return this.#done(entry, { ...failure(error), status, ...(target && { target_url: target }) });
    // The seed's redirect determines the site's host: example.com → www.example.com. A guessed sitemap may redirect
    // anywhere.
    const isSeed = entry.kind === 'page' || strategyOf(this.#context.options) !== 'recursive';
    if (isSeed && entry.parent === null && entry.depth === 0) this.#discovery.admitSeed(target);
    // Another spelling of the same URL has no separate entry: this one is requested again.
    if (this.#urls.areOne(target, entry.url))
      return askAgain(entry, { url: target, redirects: entry.redirects + 1 });
    this.#discovery.learn(entry, null);
    this.#urls.addRedirect(target, entry);
    // A page that redirects now is gone, wherever it leads.
    const change = this.#compare && entry.before ? 'gone' : null;
    return this.#done(entry, { outcome: 'redirected', status, target_url: target, change });
  }

  /**
   * Some sites redirect in a loop until a cookie is set. A redirect that closes a loop is followed once more if the
   * target would now receive different cookies.
   */
  async #asksAgain(entry: FrontierEntry, target: string, carried: Carried): Promise<boolean> {
    if (entry.kind !== 'page' || entry.redirects >= maxRedirects) return false;
    const { session, db, job } = this.#context;
    const isSame = this.#urls.areOne(target, entry.url);
    const before = isSame ? carried : this.#askedWith.last(target);
    if (before === undefined || !CookiesSent.differs(before, await session.prepare(target))) return false;
    if (isSame) return true;
    this.#askedWith.forget(target);
    // Its record may not be saved yet.
    await this.#checkpointer.save();
    const isBack = await returnRedirect(db, job, this.#urls.hashOf(target));
    this.#hosts.grew(new Set([hostOf(target)]));
    return isBack;
  }

  async #notSignedIn(
    entry: FrontierEntry,
    trouble: SignInTrouble,
    response: FetchResponse,
  ): Promise<Postponed | undefined> {
    if (trouble instanceof HoldfastError) return await this.#failedOrLater(entry, trouble, response);
    return askAgain(entry, { until: performance.now() + trouble.againMs });
  }

  async #readList(entry: FrontierEntry, response: FetchResponse): Promise<undefined> {
    const { reason, message, leftOut } = await this.#lists.read(entry, response);
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

  /** Records the final failure. A page of the baseline is gone, or keeps its content and its links are followed. */
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
    const status = response?.status ?? null;
    if (next === null) return await this.#failed(entry, { ...failure(error), status });
    const { host, seq } = entry;
    const { code: reason, message } = error;
    this.#checkpointer.unsaved.postponed.set(seq, {
      host,
      seq,
      ...next,
      failure: { reason, message, status },
    });
    this.#checkpointer.changed(entry.url);
    return next;
  }

  #done(entry: FrontierEntry, outcome: Outcome, received = outcome.bytes ?? 0): undefined {
    const { url, url_hash, kind, depth, parent, attempts } = entry;
    const leftOut = this.#urls.leftOutOf(entry);
    const page = {
      // Spread first: V8 copies a whole object at once only there.
      ...outcome,
      ...this.#context.escalations.settle(entry, outcome.outcome),
      url,
      url_hash,
      kind,
      depth,
      parent,
      attempts: attempts + 1,
      fetched_at: new Date(),
      ...(leftOut &&
        (outcome.outcome === 'failed' || outcome.outcome === 'skipped') && { left_out: leftOut }),
    };
    this.#context.suspects.delete(url_hash);
    const counts = kind === 'page' ? placesOf(outcome.outcome) - placesOf(entry.retry_of) : 0;
    this.#hosts.of(entry.host).pages += counts;
    this.#checkpointer.unsaved.postponed.delete(entry.seq);
    this.#checkpointer.unsaved.done.push({ entry, page, counts });
    if (leftOut) this.#checkpointer.unsaved.addOffScope(leftOut);
    this.#checkpointer.unsaved.bytes += received;
    this.#checkpointer.changed(url);
    return undefined;
  }
}

/** Repeats the entry without using an attempt. */
function askAgain({ attempts, refusals }: FrontierEntry, changes: Partial<Postponed> = {}): Postponed {
  return { until: performance.now(), attempts, refusals, ...changes };
}

/** How many pages of its host's limit an outcome takes. */
function placesOf(outcome: Page['outcome'] | null): number {
  return outcome === 'fetched' || outcome === 'failed' ? 1 : 0;
}

function failure(error: HoldfastError): Outcome {
  return { outcome: 'failed', reason: error.code, message: error.message };
}
