import { HoldfastError } from '@holdfast/contract';
import { LruMap } from '../../base/collections/lru-map.ts';
import { maxRedirects } from '../../web/fetch/fetch-following.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import {
  asGiven,
  type CanonicalOptions,
  canonicalOptions,
  canonicalUrl,
} from '../../web/urls/canonical-url.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { Carried } from '../session/crawl-session.ts';
import type { CrawlContext } from './crawl-context.ts';

/** The target of a redirect; undefined if it cannot be followed. */
export type Redirect =
  | { readonly target: string; readonly error?: undefined }
  | { readonly target: string | null; readonly error: HoldfastError };

/** Resolves redirects and detects loops. */
export class Redirects {
  readonly #canonical: CanonicalOptions;
  readonly #trail = new RedirectTrail();

  constructor({ options, urlRules }: Pick<CrawlContext, 'options' | 'urlRules'>) {
    this.#canonical = canonicalOptions(options, urlRules);
  }

  /** Remembers a redirect that can be followed. */
  follow(entry: FrontierEntry, response: FetchResponse): Redirect {
    const { location } = response;
    const target = location === undefined ? null : this.#targetOf(location, entry);
    if (target === null) return { target, error: redirectFailure(response) };
    if (entry.redirects >= maxRedirects || this.#trail.leads(target, entry.url))
      return { target, error: new HoldfastError('too_many_redirects', target) };
    this.#trail.add(entry.url, target);
    return { target };
  }

  /**
   * Without tracking parameters, like links, so that two campaigns lead to one page; as the server gave it, where the
   * shorter form would lead back here. Session ids stay, because a site that adds one requires it.
   */
  #targetOf(location: string, { url }: FrontierEntry): string | null {
    const short = canonicalUrl(location, url, { ...this.#canonical, keepSessions: true });
    if (short === null || (short !== url && !this.#trail.leads(short, url))) return short;
    return canonicalUrl(location, url, asGiven(this.#canonical));
  }
}

/** The cookies that redirecting URLs were requested with. */
export class CookiesSent {
  readonly #carried = new LruMap<Carried>(maxKept);

  note(url: string, carried: Carried): void {
    this.#carried.set(url, carried);
  }

  last(url: string): Carried | undefined {
    return this.#carried.get(url);
  }

  forget(url: string): void {
    this.#carried.delete(url);
  }

  static differs({ request: before }: Carried, { request: now }: Carried): boolean {
    return before.headers?.cookie !== now.headers?.cookie;
  }
}

/** Redirects to remember: a loop is closed within moments of its first redirect. */
const maxKept = 4_000;

/**
 * Detects loops. Every URL is fetched once, so no count of redirects would end a loop: whichever of its URLs is fetched last finds
 * the others here.
 */
export class RedirectTrail {
  readonly #targets = new LruMap<string>(maxKept);

  add(from: string, to: string): void {
    this.#targets.set(from, to);
  }

  /** Whether the redirects from `from` lead to this URL; true when both are the same. */
  leads(from: string, to: string): boolean {
    let at: string | undefined = from;
    for (let hops = 0; at !== undefined && hops <= maxRedirects; hops++) {
      if (at === to) return true;
      at = this.#targets.get(at);
    }
    return false;
  }
}

const maxShown = 300;
/** PostgreSQL stores no NUL, and control characters are useless in a message. */
const control = /\p{Cc}/gu;

/** The error of a redirect to `file:`, `javascript:`, an invalid URL, or nowhere. */
export function redirectFailure({
  status,
  headers,
}: Pick<FetchResponse, 'status' | 'headers'>): HoldfastError {
  const { location } = headers;
  if (!location) return new HoldfastError('response_invalid', `HTTP ${status} without a Location`);
  const target = location.replaceAll(control, ' ');
  const shown = target.length > maxShown ? `${target.slice(0, maxShown)}…` : target;
  // RFC 9110 lets a client follow the preferred choice of a 300; this one does not (read-head.ts).
  const leads = status === 300 ? 'offers a choice, and prefers' : 'leads to';
  return new HoldfastError('url_invalid', `HTTP ${status} ${leads} ${shown}`);
}
