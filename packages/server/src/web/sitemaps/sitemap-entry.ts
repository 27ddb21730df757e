export interface SitemapEntry {
  /** A page to crawl, or another sitemap to read. */
  readonly kind: 'page' | 'sitemap';
  /** As listed, trimmed: an absolute http(s) URL, or a path on the sitemap's host. */
  readonly url: string;
  /** As written: lastmod, pubDate or updated. */
  readonly lastModified?: string;
  /** The same page in other languages or formats. */
  readonly alternates?: readonly string[];
}

export type SitemapFormat = 'urlset' | 'sitemapindex' | 'rss' | 'atom' | 'text' | 'unknown';

/** How the reading ended. Entries found before the end are valid in any case. */
export type SitemapEnd = 'complete' | 'too_many_entries' | 'too_large' | 'interrupted' | 'not_a_sitemap';

export interface SitemapLimits {
  /** After inflating. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/** The sitemap protocol's own limits. */
export const sitemapLimits: SitemapLimits = { maxBytes: 50 * 1024 * 1024, maxEntries: 50_000 };

const longestUrl = 4096;

/** Whether a text would be a URL if it were shorter. */
export function isTooLong(text: string): boolean {
  return text.length > longestUrl && /^\s*(?:https?:\/\/.|\/)/i.test(text) && text.trim().length > longestUrl;
}

/** The URL in a listing's text; null if it is not one. */
export function listedUrl(text: string): string | null {
  const url = text.trim();
  if (url.length > longestUrl || /\s/.test(url)) return null;
  return /^(?:https?:\/\/.|\/)/i.test(url) ? url : null;
}
