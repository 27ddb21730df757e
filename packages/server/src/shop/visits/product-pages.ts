import { HoldfastError, rendersAll, type VisitOptions } from '@holdfast/contract';
import type { Renderer } from '../../browser/render-client.ts';
import { documentOf, pageRequests } from '../../browser/render-request.ts';
import type { GovernedFetcher } from '../../governor/governed-fetcher.ts';
import type { RenderModes } from '../../governor/sources/render-modes.ts';
import type { RequestSession } from '../../queue/profiles/request-session.ts';
import { blockedError, blockSample, mayBeBlocked } from '../../web/blocks/detect-block.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import type { FetchResponse, RequestLease } from '../../web/fetch/fetcher.ts';
import { refusedLater } from '../../web/fetch/status-error.ts';
import { canonicalUrl, hostOf } from '../../web/urls/canonical-url.ts';
import { extractProduct } from '../products/extract-product.ts';
import type { Product } from '../products/product.ts';

export interface ProductPageOptions {
  readonly fetcher: GovernedFetcher;
  /** Undefined if this worker has no browser host. */
  readonly renderer: Renderer | undefined;
  /** What the source of a host says, for visits that leave it to `auto`. */
  readonly modes: Pick<RenderModes, 'of'>;
  readonly userAgent: string;
}

/** The lease of a visit, with what its requests carry. */
export interface VisitLease extends RequestLease {
  readonly session: RequestSession;
}

export interface VisitedProduct extends Product {
  /** It was read after the scripts of the page ran in a browser. */
  readonly rendered?: true;
}

const maxHops = 10;
const maxScriptRedirects = 3;
const renderMs = 60_000;
const maxBytes = 50 * 1024 * 1024;
const html = /^(text\/html|application\/xhtml\+xml)\b/i;

/** Reads the product of a page: as the server sent it, and in a browser where that lacks what only scripts bring. */
export class ProductPages {
  readonly #options: ProductPageOptions;

  constructor(options: ProductPageOptions) {
    this.#options = options;
  }

  /** Fails with a HoldfastError when the page has no product. */
  async read(options: VisitOptions, lease: VisitLease): Promise<VisitedProduct> {
    const url = canonicalUrl(options.url, undefined, { keepTracking: true, keepSessions: true });
    if (url === null) throw new HoldfastError('url_invalid', options.url);
    const response = await this.#fetch(url, lease);
    const mode = options.render === 'auto' ? await this.#options.modes.of(hostOf(url)) : options.render;
    if (rendersAll({ ...options, render: mode }))
      return found(await this.#rendered(response, options, lease), options.url);
    const product = readProduct(response);
    if (product.price !== null || mode === 'never' || !hasScript(response))
      return found(product, options.url);
    return await this.#renderedIfRicher(product, response, options, lease);
  }

  async #renderedIfRicher(
    came: Product,
    response: FetchResponse,
    options: VisitOptions,
    lease: VisitLease,
  ): Promise<VisitedProduct> {
    try {
      const rendered = await this.#rendered(response, options, lease);
      return found(rendered.price === null && came.inStock !== null ? came : rendered, options.url);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      // What the server sent is something, even if it is not all.
      if (came.inStock !== null) return came;
      if (error.code !== 'browser_unavailable') throw error;
      throw new HoldfastError(
        'product_not_found',
        `${options.url}: it may need JavaScript, and there is no browser here (${error.detail})`,
        { cause: error, hint: error.hint },
      );
    }
  }

  async #rendered(
    first: FetchResponse,
    { wait_for, actions, load_media }: VisitOptions,
    lease: VisitLease,
  ): Promise<VisitedProduct> {
    const { renderer, userAgent, fetcher } = this.#options;
    if (!renderer) throw new HoldfastError('browser_unavailable', 'this worker has no browser host');
    let response = first;
    for (let redirects = 0; ; redirects++) {
      const { url } = response;
      const page = await renderer.render(
        {
          url,
          response: documentOf(response, bodyOf(response)),
          userAgent,
          // The page's resources use the same proxy as its document.
          ...fetcher.viaOf(response),
          ...(await lease.session.forBrowser(url)),
          options: {
            timeoutMs: renderMs,
            maxBytes,
            maxRequests: pageRequests,
            waitFor: wait_for,
            actions,
            loadEverything: load_media,
          },
        },
        lease.signal,
      );
      for (const { url: from, setCookies } of page.received ?? [])
        await lease.session.receive(from, { ...response, setCookies, body: undefined });
      if (page.redirect === undefined) return { ...extractProduct(page.html, url), rendered: true };
      if (redirects === maxScriptRedirects) throw new HoldfastError('too_many_redirects', page.redirect);
      response = await this.#fetch(page.redirect, lease);
    }
  }

  async #fetch(url: string, lease: VisitLease): Promise<FetchResponse> {
    const acceptHead = ({ status, contentType }: Pick<FetchResponse, 'status' | 'contentType'>) =>
      mayBeBlocked(status) ? blockSample : status === 200 && isHtml(contentType);
    const response = await this.#options.fetcher.fetch(
      { url, acceptHead },
      { ...lease, maxHops, obeysRobots: true },
    );
    const blocked = blockedError(response);
    if (blocked) throw blocked;
    const later = refusedLater(response);
    if (later) throw later;
    if (response.status !== 200) throw new HoldfastError('page_refused', `HTTP ${response.status}`);
    return response;
  }
}

function found<Found extends Product>(product: Found, url: string): Found {
  if (product.price === null && product.inStock === null) throw new HoldfastError('product_not_found', url);
  return product;
}

function isHtml(contentType: string | undefined): boolean {
  return contentType === undefined || html.test(contentType);
}

function bodyOf({ body, contentType }: FetchResponse): Buffer {
  if (!body) throw new HoldfastError('product_not_found', `${contentType ?? 'no content'} is not a web page`);
  return body;
}

function readProduct(response: FetchResponse): Product {
  return extractProduct(decodeHtml(bodyOf(response), response.contentType).text, response.url);
}

function hasScript({ body }: FetchResponse): boolean {
  return body !== undefined && /<script\b/i.test(body.toString('latin1'));
}
