import type { StoredPage } from '../stored/stored-page.ts';
import type { PageFormat } from './page-format.ts';

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
  link_count: (page) => page.links.length,
  markdown: (page) => page.markdown && withoutBreaks(page.markdown),
};

const names = Object.keys(columns);

/** RFC 4180, one page a line also for programs that do not know that quotes may span lines. */
export const csvFormat = {
  header: () => `${names.join(',')}\r\n`,
  wants: {},
  // By the first of them: another version may have had others behind. Up to 0.2.0 it was `n` that came first.
  isOurs: (beginning) => /^(n,url|url,page_no),canonical_url,title,description,/.test(beginning.toString()),
  isOutdated: (beginning) => !beginning.toString().startsWith(`${names.join(',')}\r\n`),
  record: (page: StoredPage) =>
    `${Object.values(columns)
      .map((value) => cell(value(page)))
      .join(',')}\r\n`,
} satisfies PageFormat;

/** Spreadsheets run cells that begin so as formulas; the apostrophe makes them text (OWASP, CSV injection). */
const formula = /^[\s\0]*[=+\-@\t\r＝＋－＠]/;

function cell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n\v\f\u0085\u2028\u2029]+/g, ' ');
}

/** Line breaks as \n, and so that they can be told from a written \n, backslashes doubled. */
function withoutBreaks(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/[\v\f\u0085\u2028\u2029]/g, ' ');
}
