import { deflateRawSync } from 'node:zlib';
import type { CrawlOptions } from '@holdfast/contract';
import { allLinks, foldLines, linkLines, storedLines } from '../../pages/stored/page-links.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import { kindByHead } from '../../web/documents/document-kind.ts';
import { extractPage } from '../../web/html/extract-page.ts';
import { type ExtractedPage, headlineOf, type MainContent } from '../../web/html/extracted-page.ts';
import { hashesOf02 } from '../../web/html/of-0-2/text-of-0-2.ts';
import { selectorsOf } from '../../web/html/selectors/selector.ts';
import { findSignInForm } from '../../web/html/sign-in-form.ts';
import { CanonicalLinks } from '../../web/urls/canonical-links.ts';
import { canonicalOptions } from '../../web/urls/canonical-url.ts';
import { withHashRoute } from '../../web/urls/hash-route.ts';
import { shaUuid } from '../../web/urls/hashes.ts';
import type { UrlRulesVersion } from '../../web/urls/url-rules.ts';
import { proveContent } from './prove-content.ts';
import type { ReadBody } from './read-result.ts';
import { readText } from './read-text.ts';

export type ReadOptions = Pick<
  CrawlOptions,
  'markdown' | 'store_html' | 'sort_query' | 'keep_tracking' | 'keep_sessions'
> & {
  readonly content?: CrawlOptions['content'] | undefined;
  readonly url_rules?: UrlRulesVersion | undefined;
  readonly ignore_query?: CrawlOptions['ignore_query'] | undefined;
  readonly include_selectors?: CrawlOptions['include_selectors'] | undefined;
  readonly exclude_selectors?: CrawlOptions['exclude_selectors'] | undefined;
  readonly image_links?: CrawlOptions['image_links'] | undefined;
  readonly clean_html?: CrawlOptions['clean_html'] | undefined;
  /** Look for a form to sign in with. */
  readonly sign_in?: boolean | undefined;
};

/** A crawl reads all its pages with the same options, so links that pages share are resolved once. */
const linksByOptions = new WeakMap<ReadOptions, CanonicalLinks>();

/** `baselineHash`: the hash of this page in the baseline. If it differs, version 0.2 may have computed it. */
export function readBody(
  url: string,
  contentType: string | undefined,
  body: Buffer,
  options: ReadOptions,
  baselineHash?: string | null,
  isRendered = false,
): ReadBody {
  const { text } = decodeHtml(body, contentType);
  const canonical = canonicalLinks(options);
  const kind = kindByHead(contentType, url);
  if (kind === 'text' || kind === 'markdown')
    return readText(text, {
      url,
      isMarkdown: kind === 'markdown',
      wantsMarkdown: options.markdown,
      canonical: (href) => canonical.of(href, url),
    });
  const resolve = isRendered
    ? (href: string, base: string) => withHashRoute(canonical.of(href, base), href)
    : (href: string, base: string) => (href.startsWith('#') ? null : canonical.of(href, base));
  const extracted = extractPage(text, url, {
    markdown: options.markdown,
    content: options.content,
    selectors: selectorsOf(options.include_selectors, options.exclude_selectors),
    imageLinks: options.image_links,
    cleanHtml: options.clean_html,
    resolve,
  });
  const shown = extracted.content;
  const followed = new Set<string>();
  const others = new Set<string>();
  for (const { href, nofollow } of extracted.links) {
    const link = resolve(href, extracted.base);
    if (link !== null) (nofollow || extracted.robots.nofollow ? others : followed).add(link);
  }
  if (others.size > 0) for (const link of followed) others.delete(link);
  const links = [...followed];
  const content = {
    links: links.length + others.size > 0 ? packed(linkLines(links, [...others])) : null,
    markdown: shown ? deflate(shown.markdown) : null,
    html: htmlOf(text, shown, options),
  };
  // Without main content, the whole body is hashed as received.
  const hash = shaUuid(shown ? shownText(extracted, shown) : body);
  const mayBeOf02 = shown !== null && baselineHash !== undefined && baselineHash !== hash;
  return {
    page: {
      title: extracted.title,
      description: extracted.description,
      language: extracted.language,
      canonical_url: extracted.canonical,
      word_count: shown?.wordCount ?? null,
      content_hash: hash,
      structured: structuredData(extracted),
      content,
    },
    earlierHashes: mayBeOf02 ? hashesOf02(text, baselineHash) : undefined,
    links,
    signInForm: options.sign_in ? findSignInForm(text, url) : undefined,
    leftOut: extracted.leftOut,
    proof: proveContent(url, text, shown?.wordCount ?? null, (href) => canonical.of(href, extracted.base)),
  };
}

/** The same page with nofollow. */
export function unfollowed(read: ReadBody): ReadBody {
  const { content } = read.page;
  if (content.links === null || read.links.length === 0) return read;
  const links = packed(linkLines([], allLinks(storedLines(content.links))));
  return { ...read, page: { ...read.page, content: { ...content, links } }, links: [] };
}

function htmlOf(
  text: string,
  shown: MainContent | null,
  { store_html, clean_html }: ReadOptions,
): Buffer | null {
  if (clean_html) return shown?.html ? deflate(shown.html) : null;
  return store_html ? deflate(text) : null;
}

export function canonicalLinks(options: ReadOptions): CanonicalLinks {
  const links =
    linksByOptions.get(options) ?? new CanonicalLinks(canonicalOptions(options, options.url_rules));
  linksByOptions.set(options, links);
  return links;
}

function structuredData({
  headings,
  openGraph,
  jsonLd,
  microdata,
  images,
  content,
}: ExtractedPage): Record<string, unknown> | null {
  const data: Record<string, unknown> = {};
  if (headings.length > 0) data.headings = headings;
  if (openGraph) data.openGraph = openGraph.properties;
  if (jsonLd.length > 0) data.jsonLd = jsonLd;
  if (microdata.length > 0) data.microdata = microdata;
  if (images && images.length > 0) data.images = images;
  if (content !== null && content.wordCount < content.visibleWords) data.visibleWords = content.visibleWords;
  return Object.keys(data).length > 0 ? data : null;
}

function packed(lines: string): Buffer {
  return foldLines(lines) ?? deflate(lines);
}

/**
 * Level 1 takes a third of the time for a tenth more bytes. Small chunks, because a result is a slice of its chunk, which stays in
 * memory until the checkpoint.
 */
function deflate(text: string): Buffer {
  return deflateRawSync(text, { level: 1, chunkSize: Math.max(Math.min(text.length >> 1, 16_384), 256) });
}

/** Linear on any input: neither part runs past a bracket that could begin the next image. */
const imageQuery = /(!\[(?:[^[\]\\]|\\.)*\]\([^()[?\s]*)\?[^()[\s]*(?=\))/g;

/** The visible text of a page: title, headline and main content. A recrawl compares its hash (ADR 27). */
export function shownText({ title, headings }: ExtractedPage, { markdown }: MainContent): string {
  // Signatures and cache busters in image URLs change with every request and are invisible.
  const content = markdown.includes('![') ? markdown.replace(imageQuery, '$1') : markdown;
  return `${title ?? ''}\n${headlineOf(headings) ?? ''}\n${content}`;
}
