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

/** Bytes read beyond the limit of a list, to detect that it is longer. */
const slackBytes = 1_048_576;

/** Sends the request for a frontier entry, with the limits of its kind and the validators of a recrawl. */
export class RequestEntry {
  readonly #context: CrawlContext;
  readonly #lists: UrlLists;
  readonly #asksConditionally: boolean;
  /** Pages answered with 304 although the baseline no longer has them. */
  readonly #unconditional = new Set<string>();
  /** Hosts that send markdown although HTML is preferred. */
  readonly #eager = new Set<string>();
  readonly #carried = new WeakMap<FrontierEntry, Carried>();

  /** `asksConditionally`: an unchanged page need not be read again. */
  constructor(context: CrawlContext, lists: UrlLists, asksConditionally: boolean) {
    this.#context = context;
    this.#lists = lists;
    this.#asksConditionally = asksConditionally;
  }

  /**
   * Whether the site sent markdown although HTML is preferred for its links. From now on, this host is not offered
   * markdown, and the page must be requested again.
   */
  isOverlyEager(entry: FrontierEntry, { contentType, headers }: FetchResponse): boolean {
    if (this.#offer(entry) !== 'html or markdown' || !/^text\/(?:x-)?markdown\b/i.test(contentType ?? ''))
      return false;
    // Otherwise there is no HTML version.
    if (!/\baccept\b(?!-)/i.test(headers.vary ?? '')) return false;
    this.#eager.add(entry.host);
    return true;
  }

  fetch(entry: FrontierEntry, signal: AbortSignal): Promise<FetchResponse> {
    if (entry.kind !== 'sitemap') return this.#fetch(entry, signal);
    return this.#lists.fetchSitemap(entry, (pieces) => this.#fetch(entry, signal, pieces));
  }

  /** From now on, this page is requested unconditionally. */
  withoutCondition({ url_hash }: FrontierEntry): void {
    this.#unconditional.add(url_hash);
  }

  /** The cookies and headers sent with this entry's request. */
  carriedBy(entry: FrontierEntry): Carried {
    return this.#carried.get(entry) ?? nothingCarried;
  }

  async #fetch(entry: FrontierEntry, signal: AbortSignal, pieces?: BodyPieces): Promise<FetchResponse> {
    const { fetcher, options, session, userAgent, leaseEnds } = this.#context;
    const carried = await session.prepare(entry.url);
    this.#carried.set(entry, carried);
    // A truncated list is better than none.
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
      // The process may have been suspended since the entry was taken, and another holder may have the job.
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

/** Some sites send validators that are invalid in a request. */
const sendable = /^[\x20-\x7e]{1,1000}$/;

function validators({ etag, lastModified }: PageBefore) {
  return {
    ifNoneMatch: etag !== null && sendable.test(etag) ? etag : undefined,
    ifModifiedSince: lastModified !== null && sendable.test(lastModified) ? lastModified : undefined,
  };
}
