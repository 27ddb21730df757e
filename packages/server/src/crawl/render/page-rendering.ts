import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import type { Renderer } from '../../browser/render-client.ts';
import type { RenderedPage } from '../../browser/render-request.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { PageReading } from '../reading/page-reading.ts';
import type { ReadBody } from '../reading/read-body.ts';
import { keepScreenshot } from './keep-screenshot.ts';
import { pathShape } from './path-shape.ts';
import { RenderVerdicts } from './render-verdicts.ts';
import { suspectScript } from './suspect-script.ts';

export interface PageRenderingOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly options: CrawlOptions;
  readonly userAgent: string;
  readonly renderer: Renderer;
  readonly job: HeldJob;
  readonly reading: PageReading;
}

export type RenderedEntry = Pick<FrontierEntry, 'url' | 'url_hash' | 'host'>;

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
}

/** What a reader sees of the page, or where it leads. Undefined: the page is complete as it came. */
type Rendering = ReadBody | ScriptRedirect | undefined;

const htmlType = /^(text\/html|application\/xhtml\+xml)\b/i;
const maxRequests = 500;
/** A rendered page has more than this much more text, and more words than a greeting or a cookie notice. */
const moreShare = 1.15;
const moreWords = 15;

/** Decides which pages of a crawl run in a browser, and has them rendered. */
export class PageRendering {
  readonly #options: PageRenderingOptions;
  readonly #verdicts: RenderVerdicts;
  #isAway = false;

  constructor(options: PageRenderingOptions) {
    this.#options = options;
    this.#verdicts = new RenderVerdicts(options.db);
  }

  /** Fails with a HoldfastError when a page that needs it cannot be rendered. */
  async render(page: FetchedPage): Promise<Rendering> {
    const { contentType } = page.response;
    if (contentType !== undefined && !htmlType.test(contentType)) return undefined;
    return this.#isAlways ? await this.#rendered(page) : await this.#renderedIfNeeded(page);
  }

  /** A picture, and what happens after a click, can be had in a browser alone. */
  get #isAlways(): boolean {
    const { render, screenshot, actions } = this.#options.options;
    return render === 'always' || screenshot !== false || (actions?.length ?? 0) > 0;
  }

  async #renderedIfNeeded(page: FetchedPage): Promise<Rendering> {
    if (this.#isAway) return undefined;
    const { entry, body, came } = page;
    const { url, host } = entry;
    const suspicion = suspectScript({ url, body, links: came.links.length });
    if (!suspicion) return undefined;
    try {
      let sample: Rendering;
      const group = { host, shape: pathShape(url), suspicion };
      const isNeeded = await this.#verdicts.decide(group, async () => {
        sample = await this.#rendered(page);
        return sample !== undefined && isRicher(sample, came);
      });
      if (!isNeeded) return undefined;
      return sample ?? (await this.#rendered(page));
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code !== 'browser_unavailable') throw error;
      this.#isAway = true;
      this.#options.log.warn(
        { reason: error.detail, url },
        `Pages that need JavaScript are stored as they came: ${error.message}. ${error.hint}`,
      );
      return undefined;
    }
  }

  async #rendered({ entry, response, body, baselineHash, signal }: FetchedPage): Promise<Rendering> {
    const { renderer, reading, options, userAgent } = this.#options;
    const { screenshot } = options;
    const { url } = entry;
    const rendered: RenderedPage = await renderer.render(
      {
        url,
        response: { status: response.status, headers: documentHeaders(response), body },
        userAgent,
        options: {
          timeoutMs: options.page_timeout_seconds * 1000,
          maxBytes: 5 * options.max_page_bytes,
          maxRequests,
          waitFor: options.wait_for,
          actions: options.actions,
          screenshot: screenshot === true ? 'viewport' : screenshot || undefined,
          loadEverything: options.load_media || screenshot !== false,
        },
      },
      signal,
    );
    if (rendered.redirect !== undefined) return { redirect: rendered.redirect };
    if (rendered.screenshot) await keepScreenshot(this.#options, entry, rendered.screenshot);
    const html = Buffer.from(rendered.html);
    return await reading.read(url, 'text/html; charset=utf-8', html, baselineHash, true);
  }
}

/** More text or more links than the page had as it came. */
function isRicher(rendering: NonNullable<Rendering>, before: ReadBody): boolean {
  if ('redirect' in rendering) return true;
  const { page, links } = rendering;
  const [words, wordsBefore] = [page.word_count ?? 0, before.page.word_count ?? 0];
  if (words > wordsBefore * moreShare && words - wordsBefore > moreWords) return true;
  const known = new Set(before.links);
  const more = links.filter((link) => !known.has(link)).length;
  return more > Math.max(1, known.size * (moreShare - 1));
}

/** The body is inflated already, and the browser caches nothing. */
const withoutUse = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

function documentHeaders({ headers, contentType }: FetchResponse): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !withoutUse.has(name));
  return { 'content-type': contentType ?? 'text/html', ...Object.fromEntries(kept) };
}
