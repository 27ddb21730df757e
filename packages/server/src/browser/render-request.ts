import type { PageAction } from '@holdfast/contract';
import type { StoredCookie } from '../web/cookies/cookie-box.ts';
import type { FetchResponse } from '../web/fetch/fetcher.ts';
import type { ProxyEndpoint } from '../web/proxy/proxy-endpoint.ts';

/** One page to render, as a runner hands it to the browser host. */
export interface RenderRequest {
  readonly url: string;
  /** The answer that the runner fetched: the browser starts from it and does not ask for the page again. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  };
  readonly userAgent: string;
  readonly acceptLanguage?: string | undefined;
  /** The proxy that brought the answer; the page loads everything through it. */
  readonly via?: ProxyEndpoint | undefined;
  /** Cookies that any visitor gets; scripts of the page may read them. */
  readonly cookies?: readonly StoredCookie[] | undefined;
  /** For requests to the origins of a profile. They stay outside of the browser. */
  readonly secrets?: RenderSecrets | undefined;
  readonly options: RenderOptions;
}

/** What requests to the origins of a profile carry. */
export interface RenderSecrets {
  readonly origins: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly StoredCookie[];
}

/** Cookies that an answer set; they belong to the crawl. */
export interface ReceivedCookies {
  readonly url: string;
  readonly setCookies: readonly string[];
}

export interface RenderOptions {
  /** From the start of the page to its text; what is there by then is the page. */
  readonly timeoutMs: number;
  /** A CSS selector that has to appear, or milliseconds to wait after the page is quiet. */
  readonly waitFor?: string | number | undefined;
  readonly actions?: readonly PageAction[] | undefined;
  readonly screenshot?: 'viewport' | 'full_page' | undefined;
  /** Find out where elements without an address lead, by clicking on them; they reach no server. */
  readonly findLinks?: boolean | undefined;
  /** Images, fonts, media and trackers as well. */
  readonly loadEverything?: boolean | undefined;
  /** Of all that the page loads. */
  readonly maxBytes: number;
  readonly maxRequests: number;
}

/** Requests that one page may make. */
export const pageRequests = 500;

/** The body is inflated already, and the browser caches nothing. */
const withoutUse = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

/** What was fetched, as the document that the browser starts from. */
export function documentOf(
  { status, headers, contentType }: Pick<FetchResponse, 'status' | 'headers' | 'contentType'>,
  body: Buffer,
): RenderRequest['response'] {
  const kept = Object.entries(headers).filter(([name]) => !withoutUse.has(name));
  return {
    status,
    headers: { 'content-type': contentType ?? 'text/html', ...Object.fromEntries(kept) },
    body,
  };
}

export interface RenderedPage {
  /** The document after its scripts ran, with shadow trees in place. */
  readonly html: string;
  /** Where a script or a meta refresh wanted to go; the crawl treats it as a redirect. */
  readonly redirect: string | undefined;
  readonly screenshot: Buffer | undefined;
  readonly requests: number;
  readonly bytes: number;
  /** Connections to private addresses that the page tried. */
  readonly refused: number;
  readonly milliseconds: number;
  /** Cookies that sites set for who is signed in. */
  readonly received?: readonly ReceivedCookies[] | undefined;
  /** It was not quiet when its time was over. */
  readonly isCut: boolean;
}
