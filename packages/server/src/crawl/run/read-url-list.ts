import type { UrlKind } from '../../pages/stored/page.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import { readLinkList } from '../../web/sitemaps/read-link-list.ts';
import { readSitemap } from '../../web/sitemaps/read-sitemap.ts';

/** What became of a list. */
export interface UrlList {
  /** How the list is to be recorded among the pages. */
  readonly reason: string;
  /** Why a list was not read to its end. */
  readonly message?: string;
  /** What it listed and is not fetched, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Gets each URL; when it returns a promise, the list waits for it. */
export type ListedUrl = (url: string, kind: UrlKind) => Promise<void> | undefined;

const looksLikeHtml = /^\s*<(!doctype html|html)/i;
const cutReasons = {
  too_large: 'it is larger than the 50 MB that a sitemap may have; the rest was not read',
  too_many_entries: 'it has more than the 50,000 entries that a sitemap may have',
  interrupted: 'it ends early, or is damaged; the rest could not be read',
} as const;
const maxLinks = 50_000;

/** Hands on what a sitemap lists as it comes. A page of HTML in its place (a soft 404) lists nothing. */
export async function readSitemapList(pieces: AsyncIterable<Buffer>, found: ListedUrl): Promise<UrlList> {
  const reading = readSitemap(pieces);
  for await (const { url, kind } of reading) await found(url, kind);
  const { end, leftOut } = reading;
  const counts = { ...counted('list_limit', leftOut.entries), ...counted('unusable_url', leftOut.tooLong) };
  if (end === 'not_a_sitemap') return { reason: 'absent', leftOut: counts };
  if (end === 'complete') return { reason: 'sitemap', leftOut: counts };
  return { reason: 'sitemap_cut', message: cutReasons[end], leftOut: counts };
}

/** Hands on the links of a text file. `isCut`: there was more of it. */
export async function readTextList(
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
    ? { reason: 'link_list_cut', message: `the rest behind ${body.length} bytes was not read`, leftOut: {} }
    : { reason: 'link_list', leftOut: {} };
}

const counted = (reason: string, count: number) => (count > 0 ? { [reason]: count } : {});
