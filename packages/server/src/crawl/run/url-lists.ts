import type { UrlKind } from '../../pages/stored/page.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import { BodyPieces } from '../../web/fetch/body-pieces.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { readLinkList } from '../../web/sitemaps/read-link-list.ts';
import { readSitemap } from '../../web/sitemaps/read-sitemap.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import { type Checkpointer, urlsAtOnce } from './checkpointer.ts';
import type { FindUrls } from './find-urls.ts';

/** The outcome of a list. */
export interface UrlList {
  /** Recorded with the list's page. */
  readonly reason: string;
  /** Why the list was truncated. */
  readonly message?: string;
  /** Listed URLs that are not fetched, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Called with each URL; the list waits for the promise it may return. */
type ListedUrl = (url: string, kind: UrlKind) => Promise<void> | undefined;

/** Reads sitemaps and text files of links into the crawl. */
export class UrlLists {
  readonly #urls: FindUrls;
  readonly #checkpointer: Checkpointer;
  readonly #maxTextBytes: number;
  /** Sitemaps whose responses have just ended. */
  readonly #fetched = new WeakMap<FrontierEntry, UrlList>();
  #listed = 0;

  constructor(urls: FindUrls, checkpointer: Checkpointer, maxTextBytes: number) {
    this.#urls = urls;
    this.#checkpointer = checkpointer;
    this.#maxTextBytes = maxTextBytes;
  }

  /** Fetches a sitemap. It may have 50 MB, so its URLs join the crawl while it arrives. */
  async fetchSitemap(
    entry: FrontierEntry,
    fetch: (pieces: BodyPieces) => Promise<FetchResponse>,
  ): Promise<FetchResponse> {
    const { response, list } = await fetchList(fetch, (url, kind) => this.#found(url, kind, entry));
    this.#fetched.set(entry, list);
    return response;
  }

  /** The outcome of a fetched list; URLs of a text file join the crawl. */
  async read(entry: FrontierEntry, response: FetchResponse): Promise<UrlList> {
    const list = this.#fetched.get(entry) ?? (await this.#readText(entry, response));
    this.#fetched.delete(entry);
    return list;
  }

  async #readText(entry: FrontierEntry, { body, contentType }: FetchResponse): Promise<UrlList> {
    if (!body) return { reason: 'absent', leftOut: {} };
    const isCut = body.length > this.#maxTextBytes;
    return await readTextList(entry.url, body, contentType, isCut, (url, kind) =>
      this.#found(url, kind, entry),
    );
  }

  #found(url: string, kind: UrlKind, from: FrontierEntry): Promise<void> | undefined {
    this.#urls.addListed(url, kind, from);
    return ++this.#listed % urlsAtOnce === 0 ? this.#checkpointer.room() : undefined;
  }
}

/** Reads a sitemap while it arrives. Fails when the request or the reading fails. */
export async function fetchList(
  fetch: (pieces: BodyPieces) => Promise<FetchResponse>,
  found: ListedUrl,
): Promise<{ response: FetchResponse; list: UrlList }> {
  const pieces = new BodyPieces();
  const fetched = fetch(pieces).finally(() => pieces.end());
  // Awaited together: a reading that fails while the site still sends must not be an unhandled rejection.
  const [response, list] = await Promise.all([fetched, readSitemapList(pieces, found)]);
  return { response, list };
}

const looksLikeHtml = /^\s*<(!doctype html|html)/i;
const cutReasons = {
  too_large: 'it is larger than the 50 MB that a sitemap may have; the rest was not read',
  too_many_entries: 'it has more than the 50,000 entries that a sitemap may have',
  interrupted: 'it ends early or is damaged; the rest could not be read',
} as const;
const maxLinks = 50_000;

/** A page of HTML in place of a sitemap (a soft 404) lists nothing. */
async function readSitemapList(pieces: AsyncIterable<Buffer>, found: ListedUrl): Promise<UrlList> {
  const reading = readSitemap(pieces);
  for await (const { url, kind } of reading) await found(url, kind);
  const { end, leftOut } = reading;
  const counts = { ...counted('list_limit', leftOut.entries), ...counted('unusable_url', leftOut.tooLong) };
  if (end === 'not_a_sitemap') return { reason: 'absent', leftOut: counts };
  if (end === 'complete') return { reason: 'sitemap', leftOut: counts };
  return { reason: 'sitemap_cut', message: cutReasons[end], leftOut: counts };
}

/** `isCut`: the file is longer than `body`. */
async function readTextList(
  url: string,
  body: Buffer,
  contentType: string | undefined,
  isCut: boolean,
  found: ListedUrl,
): Promise<UrlList> {
  const { text } = decodeHtml(body, contentType);
  if (looksLikeHtml.test(text)) return { reason: 'absent', leftOut: {} };
  const links = readLinkList(text, url, maxLinks + 1);
  for (const link of links.slice(0, maxLinks)) await found(link.url, 'page');
  if (links.length > maxLinks)
    return { reason: 'link_list_cut', message: `it has more than ${maxLinks} links`, leftOut: {} };
  return isCut
    ? { reason: 'link_list_cut', message: `only the first ${body.length} bytes were read`, leftOut: {} }
    : { reason: 'link_list', leftOut: {} };
}

const counted = (reason: string, count: number) => (count > 0 ? { [reason]: count } : {});
