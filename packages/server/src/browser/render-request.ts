import type { PageAction } from '@holdfast/contract';
import type { StoredCookie } from '../web/cookies/cookie-box.ts';
import type { FetchResponse } from '../web/fetch/fetcher.ts';
import type { ProxyEndpoint } from '../web/proxy/proxy-endpoint.ts';

/** One page to render, sent by a runner to the browser host. */
export interface RenderRequest {
  readonly url: string;
  /** The response that the runner fetched: the browser does not request the page again. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  };
  readonly userAgent: string;
  readonly acceptLanguage?: string | undefined;
  /** The proxy that the response came through; the page uses it for all requests. */
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
  /** Time limit from opening the page to reading its text; the page is then read in its current state. */
  readonly timeoutMs: number;
  /** A CSS selector that must appear, or milliseconds to wait after the page is quiet. */
  readonly waitFor?: string | number | undefined;
  readonly actions?: readonly PageAction[] | undefined;
  readonly screenshot?: 'viewport' | 'full_page' | undefined;
  /** Find the targets of elements without an href by clicking them; the clicks reach no server. */
  readonly findLinks?: boolean | undefined;
  /** Images, fonts, media and trackers as well. */
  readonly loadEverything?: boolean | undefined;
  /** Of all that the page loads. */
  readonly maxBytes: number;
  readonly maxRequests: number;
}

/** Requests that one page may make. */
export const pageRequests = 500;

/** The body is already decompressed, and the browser caches nothing. */
const withoutUse = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

/** The fetched response, used as the browser's document. */
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
  /** The blocked navigation of a script or meta refresh; the crawl treats it as a redirect. */
  readonly redirect: string | undefined;
  readonly screenshot: Buffer | undefined;
  readonly requests: number;
  readonly bytes: number;
  /** Connections to private addresses that the page tried. */
  readonly refused: number;
  readonly milliseconds: number;
  /** Cookies that sites set for who is signed in. */
  readonly received?: readonly ReceivedCookies[] | undefined;
  /** It was not quiet when its time was up. */
  readonly isCut: boolean;
}
