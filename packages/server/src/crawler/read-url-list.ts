import { decodeHtml } from '../charset/decode-html.ts';
import type { FetchResponse } from '../fetch/fetcher.ts';
import type { FrontierEntry, FrontierKind } from '../frontier/frontier-entry.ts';
import { readLinkList } from '../sitemaps/read-link-list.ts';
import { readSitemap } from '../sitemaps/read-sitemap.ts';

export interface UrlList {
  readonly urls: readonly { readonly url: string; readonly kind: FrontierKind }[];
  /** How the list is to be recorded among the pages. */
  readonly reason: string;
}

const looksLikeHtml = /^\s*<(!doctype html|html)/i;

/** The URLs that a sitemap or a text file lists. A page of HTML in its place (a soft 404) lists none. */
export async function readUrlList(
  { kind, url }: FrontierEntry,
  { body, contentType }: FetchResponse,
): Promise<UrlList> {
  if (!body) return { urls: [], reason: 'absent' };
  if (kind === 'text') {
    const { text } = decodeHtml(body, contentType);
    if (looksLikeHtml.test(text)) return { urls: [], reason: 'absent' };
    return {
      urls: readLinkList(text, url).map((link) => ({ url: link.url, kind: 'page' })),
      reason: 'link_list',
    };
  }
  const reading = readSitemap([body]);
  const urls: { url: string; kind: FrontierKind }[] = [];
  for await (const entry of reading) urls.push({ url: entry.url, kind: entry.kind });
  return { urls, reason: reading.end === 'not_a_sitemap' ? 'absent' : 'sitemap' };
}
