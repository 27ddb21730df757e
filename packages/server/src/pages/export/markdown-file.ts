import { escapeInline } from '../../web/html/markdown/escape-markdown.ts';
import type { StoredPage } from '../stored/page.ts';

/** A page as markdown with YAML front matter. The URL comes first: it tells which page a file belongs to. `screenshot`: its file. */
export function markdownFile(page: StoredPage, screenshot: string | null = null): string {
  const fields: [string, string | number | true | null][] = [
    ['url', page.url],
    ['canonical_url', page.canonical_url],
    ['title', page.title],
    ['description', page.description],
    ['language', page.language],
    ['status', page.status],
    ['content_type', page.content_type],
    ['depth', page.depth],
    ['word_count', page.word_count],
    ['change', page.change],
    ['rendered', page.rendered || null],
    ['render_reason', page.render_reason],
    ['screenshot', screenshot],
    ['content_hash', page.content_hash],
    ['fetched_at', page.fetched_at.toISOString()],
    ['page_no', page.page_no],
  ];
  const matter = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scalar(value)}\n`]));
  const body = page.markdown?.trim();
  return `---\n${matter.join('')}---\n${body ? `\n${body}\n` : ''}`;
}

/** The URL in the front matter; undefined when it is not one of our files. */
export function urlInMarkdown(beginning: string): string | undefined {
  const [, scalar] = /^---\nurl: ("(?:[^"\\\n]|\\.)*")\n/.exec(beginning) ?? [];
  return scalar && (JSON.parse(scalar) as string);
}

/** A JSON string is a YAML string once the characters that YAML does not allow are escaped too. */
function scalar(value: string | number | true): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The head of a folder's list of pages. */
export function contentsTitle(site: string): string {
  return `# Pages of ${site}\n\n`;
}

export function contentsLine({ title, url }: StoredPage, link: string): string {
  const name = (title ?? '').replaceAll(/\s+/g, ' ').trim() || url;
  return `- [${escapeInline(name, true)}](${link})\n`;
}

/** `](target)`, where parentheses in the target are balanced. */
const link = /\]\(([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/g;
/** A code fence. A line with more backticks after the first run is inline code instead. */
const fence = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})([\s\S]*)/;

/** The link targets in a markdown text, each once; code is skipped. */
export function linksInMarkdown(markdown: string): string[] {
  const found = new Set<string>();
  relinkMarkdown(markdown, (target) => {
    found.add(target);
    return undefined;
  });
  return [...found];
}

/** Replaces the targets of links; those without a new target stay. */
export function relinkMarkdown(markdown: string, targetOf: (target: string) => string | undefined): string {
  if (!markdown.includes('](')) return markdown;
  let open: string | undefined;
  const lines = markdown.split('\n').map((line) => {
    const [, mark, behind] = fence.exec(line) ?? [];
    if (open !== undefined) {
      if (mark?.startsWith(open) && behind?.trim() === '') open = undefined;
      return line;
    }
    open = mark;
    return mark === undefined && line.includes('](') ? relinkLine(line, targetOf) : line;
  });
  return lines.join('\n');
}

function relinkLine(line: string, targetOf: (target: string) => string | undefined): string {
  const code = codeSpans(line);
  let span = 0;
  return line.replace(link, (whole, target: string, at: number) => {
    while ((code[span]?.end ?? Number.POSITIVE_INFINITY) <= at) span++;
    if ((code[span]?.start ?? Number.POSITIVE_INFINITY) < at) return whole;
    const other = targetOf(target);
    return other === undefined ? whole : `](${other})`;
  });
}

/** Inline code in a line: from a run of backticks to the next run of the same length. */
function codeSpans(line: string): { start: number; end: number }[] {
  if (!line.includes('`')) return [];
  const runs = [...line.matchAll(/\\`|`+/g)].filter(([run]) => run !== '\\`');
  // From the end, so that each run finds its partner without a search.
  const nextOf = new Map<number, number>();
  const partners: (number | undefined)[] = [];
  for (let place = runs.length - 1; place >= 0; place--) {
    const length = runs[place]?.[0].length ?? 0;
    partners[place] = nextOf.get(length);
    nextOf.set(length, place);
  }
  const spans: { start: number; end: number }[] = [];
  for (let place = 0; place < runs.length; place++) {
    const partner = partners[place];
    if (partner === undefined) continue;
    spans.push({ start: runs[place]?.index ?? 0, end: runs[partner]?.index ?? 0 });
    place = partner;
  }
  return spans;
}
