import { HoldfastError } from '@holdfast/contract';
import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core';
import type { StoredCookie } from '../web/cookies/cookie-box.ts';
import { isHeavy, isTracker } from './blocked-resources.ts';
import type { GuardProxy, ProxyPass } from './guard-proxy.ts';
import {
  clickedLinks,
  scrollThrough,
  scrollToTop,
  serializeDocument,
  waitForQuiet,
  watchPage,
} from './page-scripts.js';
import { PageTraffic, patienceMs } from './page-traffic.ts';
import { performAction } from './perform-action.ts';
import type { RenderedPage, RenderOptions, RenderRequest } from './render-request.ts';
import { SecretRequests } from './secret-requests.ts';

/** A page is finished when nothing is pending and the DOM has not changed for this long. */
const quietMs = 80;
/** How long to wait for a timer after the last change. */
const timerMs = 1_500;
/** A page that stays busy is read in its current state after this share of its time. */
const quietShare = 0.6;
const maxHtmlLength = 20 * 1024 * 1024;
/** Limits of infinite scrolling: how often the page may grow, and the share of the time. */
const maxScrolls = 20;
const scrollShare = 0.3;
/** A page may reload itself, to return with a cookie. */
const maxReloads = 2;
const maxClickedLinks = 60;

/**
 * Renders one page in its own context. The document is the response that the runner already fetched; all other requests
 * go through the guard proxy. Navigations to other pages are blocked and reported to the crawl.
 */
export async function renderPage(
  browser: Browser,
  proxy: GuardProxy,
  request: RenderRequest,
  signal: AbortSignal,
): Promise<RenderedPage> {
  const started = performance.now();
  const { options } = request;
  const pass = proxy.admit({ maxBytes: options.maxBytes }, request.via);
  const secrets =
    request.secrets &&
    new SecretRequests(
      request,
      request.secrets,
      {
        ...proxy.options,
        userAgent: request.userAgent,
        limits: { maxBytes: options.maxBytes, totalMs: options.timeoutMs },
      },
      (bytes) => pass.count(bytes),
    );
  let context: BrowserContext | undefined;
  const end = () => {
    pass.close();
    void secrets?.close();
    void context?.close().catch(() => undefined);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    context = await browser.newContext({
      proxy: { server: proxy.url, username: pass.username, password: pass.password },
      userAgent: request.userAgent,
      ...(request.acceptLanguage && { extraHTTPHeaders: { 'accept-language': request.acceptLanguage } }),
      serviceWorkers: 'block',
      acceptDownloads: false,
      viewport: { width: 1280, height: 1024 },
    });
    signal.throwIfAborted();
    const page = await context.newPage();
    if (request.cookies?.length) await context.addCookies(request.cookies.map(asBrowserCookie));
    return await new PageRendering(page, request, { pass, secrets, started }).run();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw asRenderError(error);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

interface RenderingMeans {
  readonly pass: ProxyPass;
  /** Set for a page of a profile. */
  readonly secrets: SecretRequests | undefined;
  readonly started: number;
}

class PageRendering {
  readonly #page: Page;
  readonly #request: RenderRequest;
  readonly #pass: ProxyPass;
  readonly #secrets: SecretRequests | undefined;
  readonly #started: number;
  readonly #traffic: PageTraffic;
  #navigations = 0;
  /** Its text is already read: requests from now on are caused by our clicks. */
  #isClicked = false;
  #redirect: string | undefined;
  #redirected: () => void = () => undefined;

  constructor(page: Page, request: RenderRequest, { pass, secrets, started }: RenderingMeans) {
    this.#secrets = secrets;
    this.#page = page;
    this.#request = request;
    this.#pass = pass;
    this.#started = started;
    this.#traffic = new PageTraffic(page);
  }

  async run(): Promise<RenderedPage> {
    const page = this.#page;
    const { url, options } = this.#request;
    page.setDefaultTimeout(options.timeoutMs);
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
    page.context().on('page', (popup) => {
      if (popup !== page) void popup.close().catch(() => undefined);
    });
    await page.addInitScript(watchPage);
    await page.context().route('**/*', (route) => this.#decide(route));
    const redirected = new Promise<undefined>((resolve) => {
      this.#redirected = () => resolve(undefined);
    });
    const content = this.#content(url, options);
    // A navigation that is refused may leave the one before it hanging.
    content.catch(() => undefined);
    const { html, screenshot, isQuiet } = (await Promise.race([content, redirected])) ?? emptyContent;
    return {
      html,
      redirect: this.#redirect,
      screenshot,
      requests: this.#traffic.started,
      bytes: this.#pass.bytes,
      refused: this.#pass.refused,
      milliseconds: Math.round(performance.now() - this.#started),
      isCut: !isQuiet,
      received: this.#secrets?.received,
    };
  }

  async #content(url: string, options: RenderOptions): Promise<PageContent> {
    const page = this.#page;
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: this.#left });
    let isQuiet = await this.#waitFor();
    await this.#scroll();
    for (const action of options.actions ?? []) {
      await performAction(page, action, this.#left);
      isQuiet = await this.#untilQuiet();
    }
    if (options.screenshot) await page.evaluate(scrollToTop);
    const screenshot = options.screenshot
      ? await page.screenshot({
          type: 'png',
          fullPage: options.screenshot === 'full_page',
          timeout: Math.max(this.#left, 1_000),
        })
      : undefined;
    const html =
      (await this.#unlessNavigated(page.evaluate(serializeDocument, { maxLength: maxHtmlLength, url }))) ??
      '';
    return { html: withLinks(html, await this.#clickedLinks()), screenshot, isQuiet };
  }

  /** Not with actions: what they brought about is not to be undone. A page that cannot be clicked through has what it has. */
  async #clickedLinks(): Promise<readonly string[]> {
    const { findLinks, actions = [] } = this.#request.options;
    if (!findLinks || actions.length > 0) return [];
    this.#isClicked = true;
    return await this.#page.evaluate(clickedLinks, { maxLinks: maxClickedLinks }).catch(() => []);
  }

  get #left(): number {
    return Math.max(1, this.#request.options.timeoutMs - (performance.now() - this.#started));
  }

  /** Every request of the page comes by here first; redirects of theirs do not, and are the proxy's to check. */
  async #decide(route: Route): Promise<void> {
    const request = route.request();
    try {
      if (request.isNavigationRequest() && this.#isMainFrame(request)) await this.#navigate(route, request);
      else if (this.#mayLoad(request)) await this.#load(route, request);
      else await route.abort('blockedbyclient');
    } catch {
      // The page is closing.
    }
  }

  async #load(route: Route, request: Request): Promise<void> {
    if (!this.#secrets?.covers(request)) return await route.continue();
    await this.#secrets.answer(route).catch(() => route.abort('failed'));
  }

  #isMainFrame(request: Request): boolean {
    // A navigation without a frame belongs to a popup, which is closed.
    try {
      return request.frame() === this.#page.mainFrame();
    } catch {
      return false;
    }
  }

  async #navigate(route: Route, request: Request): Promise<void> {
    const { url, response } = this.#request;
    if (this.#isClicked) {
      await route.abort('aborted');
      return;
    }
    const first = this.#navigations++ === 0;
    if (first) {
      await route.fulfill({ status: response.status, headers: { ...response.headers }, body: response.body });
      return;
    }
    if (sameDocument(request.url(), url) && this.#navigations <= 1 + maxReloads) {
      await this.#load(route, request);
      return;
    }
    this.#redirect ??= request.url();
    this.#redirected();
    await route.abort('aborted');
  }

  #mayLoad(request: Request): boolean {
    const { loadEverything, maxRequests } = this.#request.options;
    if (this.#isClicked && request.resourceType() !== 'script') return false;
    if (!/^https?:/.test(request.url()) && !/^(data|blob):/.test(request.url())) return false;
    if (this.#traffic.started > maxRequests || this.#pass.isSpent) return false;
    return loadEverything === true || !(isHeavy(request.resourceType()) || isTracker(request.url()));
  }

  /** Waits until network and DOM are both quiet. A timeout is not an error: some pages are never quiet. */
  async #untilQuiet(): Promise<boolean> {
    const until = performance.now() + Math.min(this.#left, this.#request.options.timeoutMs * quietShare);
    for (;;) {
      const left = until - performance.now();
      if (left <= 0) return false;
      const before = this.#traffic.started;
      await this.#traffic.idle(left);
      const isQuiet = await this.#unlessNavigated(
        this.#page.evaluate(waitForQuiet, {
          quietMs,
          timerMs,
          requestMs: patienceMs,
          capMs: Math.max(1, until - performance.now()),
        }),
      );
      if (isQuiet && this.#traffic.open === 0 && this.#traffic.started === before) return true;
    }
  }

  async #waitFor(): Promise<boolean> {
    const { waitFor } = this.#request.options;
    if (typeof waitFor === 'number') {
      const isQuiet = await this.#untilQuiet();
      await this.#page.waitForTimeout(Math.min(waitFor, this.#left));
      return isQuiet;
    }
    // If the selector never appears, the page is read anyway: it may be of another kind.
    const found =
      waitFor === undefined ||
      (await this.#page
        .waitForSelector(waitFor, { state: 'attached', timeout: this.#left * quietShare })
        .then(() => true)
        .catch(() => false));
    return (await this.#untilQuiet()) && found;
  }

  /** Loads content that appears on scrolling. */
  async #scroll(): Promise<void> {
    const until = performance.now() + Math.min(this.#left, this.#request.options.timeoutMs * scrollShare);
    let height: number | undefined;
    for (let scrolled = 0; scrolled <= maxScrolls; scrolled++) {
      const capMs = until - performance.now();
      if (capMs <= 0) return;
      const now = await this.#unlessNavigated(this.#page.evaluate(scrollThrough, { capMs }));
      if (now === undefined || now === height) return;
      height = now;
      await this.#untilQuiet();
    }
  }

  /** If the document is replaced, the evaluation is lost and repeated in the next one. */
  async #unlessNavigated<Result>(asked: Promise<Result>): Promise<Result | undefined> {
    try {
      return await asked;
    } catch (error) {
      if (!/context was destroyed|Cannot find context/.test((error as Error).message)) throw error;
      await this.#page.waitForLoadState('domcontentloaded', { timeout: this.#left });
      return undefined;
    }
  }
}

interface PageContent {
  readonly html: string;
  readonly screenshot: Buffer | undefined;
  readonly isQuiet: boolean;
}

const emptyContent: PageContent = { html: '', screenshot: undefined, isQuiet: true };

/** Appends empty links, which a crawl follows and a reader does not see. */
function withLinks(html: string, urls: readonly string[]): string {
  if (urls.length === 0) return html;
  const escaped = (url: string) => url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const links = urls.map((url) => `<a href="${escaped(url)}"></a>`).join('');
  const end = html.lastIndexOf('</body>');
  return end === -1 ? html + links : html.slice(0, end) + links + html.slice(end);
}

/** Of this host alone, unless the site wants more. */
function asBrowserCookie({
  name,
  value,
  domain,
  hostOnly,
  path = '/',
  expires = -1,
  secure,
  httpOnly,
}: StoredCookie) {
  const place = { domain: hostOnly ? domain : `.${domain}`, path };
  return { name, value, ...place, expires, secure: secure ?? false, httpOnly: httpOnly ?? false };
}

function sameDocument(one: string, other: string): boolean {
  return one.replace(/#.*$/, '') === other.replace(/#.*$/, '');
}

function asRenderError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { name, message } = error as Error;
  const reason = message.split('\n', 1)[0]?.slice(0, 300) ?? name;
  return new HoldfastError(name === 'TimeoutError' ? 'render_timeout' : 'render_failed', reason, {
    cause: error,
  });
}
