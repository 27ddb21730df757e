import type { StoredPage } from '../stored/page.ts';
import { type PageFormat, screenshotName } from './page-output.ts';

const columns: Record<string, (page: StoredPage) => string | number | null> = {
  url: (page) => page.url,
  page_no: (page) => page.page_no,
  canonical_url: (page) => page.canonical_url,
  title: (page) => page.title && onOneLine(page.title),
  description: (page) => page.description && onOneLine(page.description),
  language: (page) => page.language,
  status: (page) => page.status,
  content_type: (page) => page.content_type,
  depth: (page) => page.depth,
  word_count: (page) => page.word_count,
  bytes: (page) => page.bytes,
  fetched_at: (page) => page.fetched_at.toISOString(),
  change: (page) => page.change,
  rendered: (page) => String(page.rendered),
  render_reason: (page) => page.render_reason,
  screenshot: screenshotName,
  link_count: (page) => page.links.length,
  markdown: (page) => page.markdown && withoutBreaks(page.markdown),
};

const names = Object.keys(columns);

/** CSV by RFC 4180. One page per line, also for programs that do not know that quoted cells may span lines. */
export const csvFormat = {
  header: () => `${names.join(',')}\r\n`,
  wants: {},
  // By the first columns only: versions differ in the later ones. Up to 0.2.0 the first was `n`.
  isOurs: (beginning) => /^(n,url|url,page_no),canonical_url,title,description,/.test(beginning.toString()),
  isOutdated: (beginning) => !beginning.toString().startsWith(`${names.join(',')}\r\n`),
  record: (page: StoredPage) =>
    `${Object.values(columns)
      .map((value) => cell(value(page)))
      .join(',')}\r\n`,
} satisfies PageFormat;

/** Spreadsheets run such cells as formulas; a leading apostrophe makes them text (OWASP, CSV injection). */
const formula = /^[\s\0]*[=+\-@\t\r＝＋－＠]/;

function cell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ');
}

/** Writes line breaks as \n, and doubles backslashes so that the two can be told apart. */
function withoutBreaks(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/[\v\f\u0085\u2028\u2029]/g, ' ');
}

/** Line breaks for some programs (Python's splitlines, JavaScript before 2019), but not for JSON. */
const otherLineBreaks = /[\u0085\u2028\u2029]/g;

/** One JSON object per line. */
export const jsonlFormat = {
  header: () => '',
  wants: { html: true },
  // Up to 0.2.0 a line began with "n".
  isOurs: (beginning) => /^\{("n":\d+,"url":"|"url":"[^"]+","page_no":\d)/.test(beginning.toString()),
  isOutdated: (beginning) => beginning.toString().startsWith('{"n":'),
  record(stored: StoredPage) {
    const { url, page_no, change, render_reason, markdown, links, html, ...others } = stored;
    const { url_hash: _hash, kept: _kept, has_screenshot, screenshot: _picture, ...page } = others;
    const record = {
      url,
      page_no,
      ...page,
      ...(render_reason !== null && { render_reason }),
      ...(change !== null && { change }),
      ...(has_screenshot && { screenshot: screenshotName(stored) }),
      markdown,
      links,
      ...(html !== null && { html }),
    };
    const line = JSON.stringify(record).replace(
      otherLineBreaks,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return `${line}\n`;
  },
} satisfies PageFormat;
