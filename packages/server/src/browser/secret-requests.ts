import { isOriginOf } from '@holdfast/contract';
import type { Request, Route } from 'playwright-core';
import { CookieBox } from '../web/cookies/cookie-box.ts';
import { maxRedirects } from '../web/fetch/fetch-following.ts';
import type { FetchResponse } from '../web/fetch/fetcher.ts';
import { HttpFetcher, type HttpFetcherOptions } from '../web/fetch/http-fetcher.ts';
import { isSignInUrl } from '../web/html/sign-in-form.ts';

import type { ReceivedCookies, RenderRequest, RenderSecrets } from './render-request.ts';

/** What the browser says of the connection, and what the fetcher sets itself. */
const ownHeaders =
  /^(?::.*|accept-encoding|connection|content-length|cookie|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|expect)$/;
const ofTheTransfer = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive)$/;

/**
 * Makes the requests of a signed-in page in the place of the browser, which never gets the secrets: no script can read them, and no
 * redirect of a picture can carry them away. Each hop is checked like a first request.
 */
export class SecretRequests {
  readonly received: ReceivedCookies[] = [];
  readonly #url: string;
  readonly #via: RenderRequest['via'];
  readonly #secrets: RenderSecrets;
  readonly #userAgent: string;
  readonly #cookies: CookieBox;
  readonly #fetcher: HttpFetcher;
  readonly #onBytes: (bytes: number) => void;

  constructor(
    { url, via }: Pick<RenderRequest, 'url' | 'via'>,
    secrets: RenderSecrets,
    options: HttpFetcherOptions & { userAgent: string },
    onBytes: (bytes: number) => void,
  ) {
    this.#url = url;
    this.#via = via;
    this.#secrets = secrets;
    this.#userAgent = options.userAgent;
    this.#cookies = new CookieBox(secrets.cookies);
    this.#fetcher = new HttpFetcher(options);
    this.#onBytes = onBytes;
  }

  /** Only what a page of these origins asks of them: another page, or a frame in it, gets what any visitor gets. */
  covers(request: Request): boolean {
    const { origins } = this.#secrets;
    return (
      isOriginOf(origins, this.#url) &&
      isHttpOf(origins, request.url()) &&
      isHttpOf(origins, askerOf(request))
    );
  }

  async answer(route: Route): Promise<void> {
    const request = route.request();
    const method = request.method();
    if (method !== 'GET' && method !== 'POST') {
      await route.abort('blockedbyclient');
      return;
    }
    const response = await this.#follow(request, method === 'POST' ? (request.postData() ?? '') : undefined);
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(
        Object.entries(response.headers).filter(([name]) => !ofTheTransfer.test(name)),
      ),
      body: response.body ?? Buffer.alloc(0),
    });
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  async #follow(request: Request, posted: string | undefined): Promise<FetchResponse> {
    const given = Object.entries(await request.allHeaders()).filter(([name]) => !ownHeaders.test(name));
    const { accept, ...asked } = Object.fromEntries(given);
    let url = request.url();
    let body = posted;
    for (let hops = 0; ; hops++) {
      const isCovered = isOriginOf(this.#secrets.origins, url);
      const cookie = isCovered ? this.#cookies.header(url) : undefined;
      const headers = isCovered ? { ...this.#secrets.headers, ...asked, ...(cookie && { cookie }) } : {};
      const response = await this.#fetcher.fetch({
        url,
        via: this.#via,
        accept,
        userAgent: this.#userAgent,
        headers,
        ...(body !== undefined && { body }),
      });
      this.#onBytes(response.bytesOnWire);
      const { status, location, setCookies } = response;
      // What a sign-in page sets belongs to somebody who is not signed in.
      const isIn = isCovered && status < 400 && !(location !== undefined && isSignInUrl(location));
      if (isIn && setCookies?.length) {
        this.#cookies.receive(url, setCookies);
        this.received.push({ url, setCookies });
      }
      if (location === undefined || hops === maxRedirects) return response;
      if (status < 307) body = undefined;
      url = location;
    }
  }
}

function isHttpOf(origins: readonly string[], url: string): boolean {
  return /^https?:/.test(url) && isOriginOf(origins, url);
}

/** The page or frame that a request comes from. A frame that is being opened is asked for by the one around it. */
function askerOf(request: Request): string {
  try {
    const frame = request.frame();
    const asker = request.isNavigationRequest() ? frame.parentFrame() : frame;
    return asker?.url() ?? request.url();
  } catch {
    return '';
  }
}
