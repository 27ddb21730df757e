import {
  type CrawlOptions,
  describeBlock,
  HoldfastError,
  type RenderReason,
  rendersAll,
} from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import type { Renderer } from '../../browser/render-client.ts';
import { documentOf, pageRequests, type RenderedPage } from '../../browser/render-request.ts';
import type { ProxyRoutes } from '../../governor/proxies/proxy-routes.ts';
import type { RenderModes } from '../../governor/sources/render-modes.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { blockOfRendered } from '../../web/blocks/detect-block.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { PageReading } from '../reading/page-reading.ts';
import type { ReadBody } from '../reading/read-result.ts';
import type { CrawlSession } from '../session/crawl-session.ts';
import { isPoorer, isRicher } from './compare-rendering.ts';
import { keepScreenshot } from './keep-screenshot.ts';
import { pathShape } from './path-shape.ts';
import { RenderVerdicts } from './render-verdicts.ts';
import { suspectScript } from './suspect-script.ts';

export interface PageRenderingOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly options: CrawlOptions;
  readonly userAgent: string;
  readonly session: CrawlSession;
  /** Undefined if this worker has no browser host. */
  readonly renderer: Renderer | undefined;
  readonly job: HeldJob;
  readonly reading: PageReading;
  readonly followsLinks: boolean;
  /** The render setting of the host's source, for crawls with `auto`. */
  readonly modes: Pick<RenderModes, 'of'>;
  readonly proxies: ProxyRoutes;
}

export type RenderedEntry = Pick<FrontierEntry, 'url' | 'url_hash' | 'host' | 'attempts'>;

/** A script or a meta refresh leads elsewhere. */
export interface ScriptRedirect {
  readonly redirect: string;
}

export interface FetchedPage {
  readonly entry: RenderedEntry;
  readonly response: FetchResponse;
  readonly body: Buffer;
  /** The page as it came. */
  readonly came: ReadBody;
  /** The hash of the page in the baseline of a recrawl. */
  readonly baselineHash: string | null | undefined;
  readonly signal: AbortSignal;
  /** A challenge that a browser may pass; always rendered. */
  readonly isChallenge?: boolean | undefined;
}

/** The outcome for a page that may need a browser, and why. */
export interface Rendering {
  readonly why: RenderReason;
  /** The rendered page; undefined if the original response is kept. */
  readonly read?: ReadBody;
}

const htmlType = /^(text\/html|application\/xhtml\+xml)\b/i;
/** If rendering fails, pages with fewer words fail instead of being stored unrendered. */
const enoughWords = 30;
/** How long `auto` waits before it asks for a browser again. */
const awayMs = 60_000;

/** Decides which pages of a crawl need a browser, and renders them. */
export class PageRendering {
  readonly #options: PageRenderingOptions;
  readonly #verdicts: RenderVerdicts;
  /** By performance.now(). */
  #isAwayUntil = 0;

  constructor(options: PageRenderingOptions) {
    this.#options = options;
    this.#verdicts = new RenderVerdicts(options.db);
  }

  /** Undefined: the page needs no browser. Rejects with a HoldfastError if a page that needs one cannot be rendered. */
  async render(page: FetchedPage): Promise<Rendering | ScriptRedirect | undefined> {
    const { contentType } = page.response;
    if (contentType !== undefined && !htmlType.test(contentType)) return undefined;
    if (page.isChallenge) return rendering(await this.#rendered(page), 'always');
    const { options } = this.#options;
    const mode = options.render === 'auto' ? await this.#options.modes.of(page.entry.host) : options.render;
    if (rendersAll({ ...options, render: mode })) {
      const why =
        options.screenshot !== false ? 'screenshot' : options.actions?.length ? 'actions' : 'always';
      return rendering(await this.#rendered(page), why);
    }
    return mode === 'auto' ? await this.#renderedIfNeeded(page) : undefined;
  }

  async #renderedIfNeeded(page: FetchedPage): Promise<Rendering | ScriptRedirect | undefined> {
    const { entry, body, came } = page;
    const { url, host } = entry;
    const suspicion = suspectScript({ url, body, links: came.links.length });
    if (!suspicion) return undefined;
    if (performance.now() < this.#isAwayUntil) return { why: 'no_browser' };
    try {
      let sample: ReadBody | ScriptRedirect | undefined;
      const group = { host, shape: pathShape(url), suspicion };
      const isNeeded = await this.#verdicts.decide(group, async () => {
        sample = await this.#rendered(page);
        return 'redirect' in sample || isRicher(sample, came, suspicion);
      });
      if (!isNeeded) return { why: 'complete' };
      const result = sample ?? (await this.#rendered(page));
      // Failing scripts may remove content that the server sent.
      const isLoss = !('redirect' in result) && isPoorer(result, came);
      return isLoss ? { why: 'complete' } : rendering(result, suspicion);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      if (error.code === 'browser_unavailable') {
        this.#isAway(error, url);
        return { why: 'no_browser' };
      }
      const isLast = entry.attempts + 1 >= this.#options.options.attempts;
      if (isLast && (came.page.word_count ?? 0) >= enoughWords) return { why: 'render_failed' };
      throw error;
    }
  }

  /** Otherwise every page would wait for a browser that does not start. */
  #isAway(error: HoldfastError, url: string): void {
    if (this.#isAwayUntil === 0)
      this.#options.log.warn(
        { reason: error.detail, url },
        `Pages that need JavaScript are stored as the server sent them: ${error.message}. ${error.hint}`,
      );
    this.#isAwayUntil = performance.now() + awayMs;
  }

  async #rendered({
    entry,
    response,
    body,
    baselineHash,
    signal,
    isChallenge,
  }: FetchedPage): Promise<ReadBody | ScriptRedirect> {
    const { renderer, reading, options, userAgent, proxies, session } = this.#options;
    const { screenshot } = options;
    const { url } = entry;
    if (!renderer) throw new HoldfastError('browser_unavailable', 'this worker has no browser host');
    const carried = await session.forBrowser(url);
    const rendered: RenderedPage = await renderer.render(
      {
        url,
        response: documentOf(response, body),
        userAgent,
        // The page's resources use the same proxy as its document.
        ...proxies.viaOf(response),
        ...carried.means,
        options: {
          timeoutMs: options.page_timeout_seconds * 1000,
          maxBytes: 5 * options.max_page_bytes,
          maxRequests: pageRequests,
          waitFor: options.wait_for,
          actions: options.actions,
          screenshot: screenshot === true ? 'viewport' : screenshot || undefined,
          findLinks: this.#options.followsLinks,
          loadEverything: options.load_media || screenshot !== false,
        },
      },
      signal,
    );
    const still = isChallenge && blockOfRendered(response.status, rendered.html);
    if (still) throw new HoldfastError('blocked', describeBlock(still));
    for (const { url: from, setCookies } of rendered.received ?? [])
      await session.receive(from, { setCookies }, carried);
    if (rendered.redirect !== undefined) return { redirect: rendered.redirect };
    if (rendered.html === '') throw new HoldfastError('render_failed', 'nothing was left of the page');
    if (rendered.screenshot) await keepScreenshot(this.#options, entry, rendered.screenshot);
    const html = Buffer.from(rendered.html);
    return await reading.read(url, 'text/html; charset=utf-8', html, baselineHash, true);
  }
}

function rendering(read: ReadBody | ScriptRedirect, why: RenderReason): Rendering | ScriptRedirect {
  return 'redirect' in read ? read : { why, read };
}
