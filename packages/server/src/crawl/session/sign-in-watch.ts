import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import { LruMap } from '../../base/collections/lru-map.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { asksToSignIn, findSignInForm, isSignInUrl, type SignInForm } from '../../web/html/sign-in-form.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlContext } from '../run/crawl-context.ts';
import type { Carried } from './crawl-session.ts';
import { SignInJudge } from './sign-in-judge.ts';

/**
 * What to do with an entry whose response requires a sign-in: retry after a delay in milliseconds, or report the error.
 */
export type SignInTrouble = { readonly againMs: number } | HoldfastError;

/**
 * After this many consecutive responses that require a sign-in, a page that was accessible before is requested to check
 * it.
 */
const maxInARow = 5;
/** Another runner may renew the cookie at the same time; each renewal may invalidate a request. */
const maxAgain = 20;
const unsureMs = 300;
const maxUnsure = 2;
const probeMs = 15_000;

/**
 * Detects that a site no longer accepts a profile's sign-in, and ends the run before every page becomes a sign-in page.
 */
export class SignInWatch {
  readonly #context: CrawlContext;
  readonly #onSignedOut: (error: HoldfastError) => void;
  readonly #judge = new SignInJudge();
  readonly #again = new LruMap<number>(10_000);
  #inARow = 0;
  #lastGood: { readonly url: string; readonly hadForm: boolean } | undefined;

  constructor(context: CrawlContext, onSignedOut: (error: HoldfastError) => void) {
    this.#context = context;
    this.#onSignedOut = onSignedOut;
  }

  /** Checks status and redirect. */
  async ofHead(
    entry: FrontierEntry,
    response: Pick<FetchResponse, 'status' | 'location'>,
    carried: Carried,
    signal: AbortSignal,
  ): Promise<SignInTrouble | undefined> {
    if (carried.profile === null) return undefined;
    const why = asksToSignIn(entry.url, response);
    return why === undefined ? undefined : await this.#expired(entry, why, carried, signal);
  }

  /** Checks a parsed page. */
  async ofPage(
    entry: FrontierEntry,
    form: SignInForm | undefined,
    carried: Carried,
    signal: AbortSignal,
  ): Promise<SignInTrouble | 'sign_in_page' | undefined> {
    if (carried.profile === null) return undefined;
    // At its own URL, a sign-in page replaces no other page.
    if (isSignInUrl(entry.url)) return form ? 'sign_in_page' : undefined;
    const verdict = this.#judge.judge(entry.url, form);
    if (verdict === 'expired')
      return await this.#expired(entry, 'a page with nothing but the form', carried, signal);
    if (verdict === 'unsure' && this.#mayAgain(entry, maxUnsure)) return { againMs: unsureMs };
    this.#inARow = 0;
    this.#lastGood = { url: entry.url, hadForm: form !== undefined };
    return undefined;
  }

  async #expired(
    entry: FrontierEntry,
    why: string,
    carried: Carried,
    signal: AbortSignal,
  ): Promise<SignInTrouble> {
    const { session, log } = this.#context;
    if ((await session.isOutdated(carried)) && this.#mayAgain(entry, maxAgain)) return { againMs: 0 };
    const error = new HoldfastError('sign_in_expired', `${entry.url} answered with ${why}`);
    if (++this.#inARow % maxInARow !== 0) return error;
    if (await this.#isStillSignedIn(signal)) {
      // The site withholds some pages from this account.
      this.#inARow = 0;
      return error;
    }
    log.warn({ url: entry.url, why }, `${error.message}. ${error.hint}`);
    this.#onSignedOut(error);
    return error;
  }

  #mayAgain({ url_hash }: FrontierEntry, most: number): boolean {
    const times = this.#again.get(url_hash) ?? 0;
    this.#again.set(url_hash, times + 1);
    return times < most;
  }

  /** Requests the last accessible page. */
  async #isStillSignedIn(signal: AbortSignal): Promise<boolean> {
    const good = this.#lastGood;
    if (!good) return false;
    const { fetcher, session, userAgent, governor, leaseEnds } = this.#context;
    const { host } = new URL(good.url);
    const until = performance.now() + probeMs;
    let permit = governor.tryAcquire(host);
    while ('waitUntil' in permit && performance.now() < until) {
      await delay(100, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return true;
      permit = governor.tryAcquire(host);
    }
    if ('waitUntil' in permit) return false;
    const started = performance.now();
    const carried = await session.prepare(good.url);
    try {
      const response = await fetcher.fetch({
        ...carried.request,
        url: good.url,
        userAgent,
        signal,
        mayAsk: () => performance.now() < leaseEnds(),
        limits: { totalMs: probeMs },
      });
      const { status, body, contentType } = response;
      permit.done({ kind: 'http', status, latencyMs: performance.now() - started });
      if (asksToSignIn(good.url, response) || status !== 200 || !body) return false;
      return good.hadForm || !findSignInForm(decodeHtml(body, contentType).text, good.url);
    } catch (error) {
      permit.done({ kind: 'error', code: error instanceof HoldfastError ? error.code : 'aborted' });
      return false;
    }
  }
}
