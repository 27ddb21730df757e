import { blockSample, mayBeBlocked } from '../../web/blocks/detect-block.ts';
import { kindByHead } from '../../web/documents/document-kind.ts';
import type { BodyPieces } from '../../web/fetch/body-pieces.ts';
import type { FetchHead, FetchResponse } from '../../web/fetch/fetcher.ts';
import { acceptForPages } from '../../web/fetch/http-headers.ts';
import { sitemapLimits } from '../../web/sitemaps/sitemap-entry.ts';
import type { FrontierEntry, PageBefore } from '../frontier/frontier-entry.ts';
import { type Carried, nothingCarried } from '../session/crawl-session.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { UrlLists } from './url-lists.ts';

/** Read beyond the limit of a list, to see that there is more of it. */
const slackBytes = 1_048_576;

/** Sends the request for a frontier entry, with the limits of its kind and the validators of a recrawl. */
export class RequestEntry {
  readonly #context: CrawlContext;
  readonly #lists: UrlLists;
  readonly #asksConditionally: boolean;
  /** Pages that the site calls unchanged although the baseline does not have them any more. */
  readonly #unconditional = new Set<string>();
  /** Hosts that send markdown although HTML was preferred. */
  readonly #eager = new Set<string>();
  readonly #carried = new WeakMap<FrontierEntry, Carried>();

  /** `asksConditionally`: an unchanged page need not be read again. */
  constructor(context: CrawlContext, lists: UrlLists, asksConditionally: boolean) {
    this.#context = context;
    this.#lists = lists;
    this.#asksConditionally = asksConditionally;
  }

  /**
   * Whether the site sent markdown where HTML was preferred for its links. From now on this host is not offered any, and the page
   * is to be asked for again.
   */
  isOverlyEager(entry: FrontierEntry, { contentType, headers }: FetchResponse): boolean {
    if (this.#offer(entry) !== 'html or markdown' || !/^text\/(?:x-)?markdown\b/i.test(contentType ?? ''))
      return false;
    // Elsewhere there is no other form of it.
    if (!/\baccept\b(?!-)/i.test(headers.vary ?? '')) return false;
    this.#eager.add(entry.host);
    return true;
  }

  fetch(entry: FrontierEntry, signal: AbortSignal): Promise<FetchResponse> {
    if (entry.kind !== 'sitemap') return this.#fetch(entry, signal);
    return this.#lists.fetchSitemap(entry, (pieces) => this.#fetch(entry, signal, pieces));
  }

  /** From now on this page is requested without a condition. */
  withoutCondition({ url_hash }: FrontierEntry): void {
    this.#unconditional.add(url_hash);
  }

  /** What the request of this entry carried. */
  carriedBy(entry: FrontierEntry): Carried {
    return this.#carried.get(entry) ?? nothingCarried;
  }

  async #fetch(entry: FrontierEntry, signal: AbortSignal, pieces?: BodyPieces): Promise<FetchResponse> {
    const { fetcher, options, session, userAgent, leaseEnds } = this.#context;
    const carried = await session.prepare(entry.url);
    this.#carried.set(entry, carried);
    // The beginning of a list is better than nothing.
    const enoughBytes = {
      page: undefined,
      text: options.max_page_bytes,
      sitemap: sitemapLimits.maxBytes + slackBytes,
    }[entry.kind];
    const maxBytes = enoughBytes === undefined ? options.max_page_bytes : enoughBytes + slackBytes;
    return await fetcher.fetch({
      ...carried.request,
      url: entry.url,
      userAgent,
      accept: acceptForPages[this.#offer(entry)],
      signal,
      // The process may have stood still since the entry was taken, and another holder have the job.
      mayAsk: () => performance.now() < leaseEnds(),
      limits: { maxBytes, totalMs: options.page_timeout_seconds * 1000 },
      enoughBytes,
      take: pieces?.take,
      ...(entry.before && this.#isConditional(entry) && validators(entry.before)),
      acceptHead: (head) => {
        if (entry.kind === 'page' && mayBeBlocked(head.status)) return blockSample;
        return head.status === 200 && (entry.kind !== 'page' || this.#isRead(head));
      },
    });
  }

  #offer({ kind, host }: FrontierEntry): keyof typeof acceptForPages {
    const { options } = this.#context;
    if (kind !== 'page' || !options.markdown || options.store_html || options.render === 'always')
      return 'html';
    if (options.prefer_markdown) return 'markdown or html';
    return this.#eager.has(host) ? 'html' : 'html or markdown';
  }

  #isRead({ contentType, url }: FetchHead): boolean {
    const kind = kindByHead(contentType, url);
    return kind === 'pdf' ? this.#context.options.documents : kind !== undefined;
  }

  #isConditional({ url_hash }: FrontierEntry): boolean {
    return this.#asksConditionally && !this.#unconditional.has(url_hash);
  }
}

/** Some sites send validators that no request may hold. */
const sendable = /^[\x20-\x7e]{1,1000}$/;

function validators({ etag, lastModified }: PageBefore) {
  return {
    ifNoneMatch: etag !== null && sendable.test(etag) ? etag : undefined,
    ifModifiedSince: lastModified !== null && sendable.test(lastModified) ? lastModified : undefined,
  };
}
