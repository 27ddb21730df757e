import type { StoredPage } from '../stored/stored-page.ts';

/** A page as a markdown file with YAML front matter. The URL comes first: by it a file says whose it is. */
export function markdownFile(page: StoredPage): string {
  const fields: [string, string | number | null][] = [
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
    ['content_hash', page.content_hash],
    ['fetched_at', page.fetched_at.toISOString()],
    ['page_no', page.page_no],
  ];
  const matter = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scalar(value)}\n`]));
  const body = page.markdown?.trim();
  return `---\n${matter.join('')}---\n${body ? `\n${body}\n` : ''}`;
}

/** The URL in the front matter of a file that begins so; undefined when it is no file of ours. */
export function urlInMarkdown(beginning: string): string | undefined {
  const [, scalar] = /^---\nurl: ("(?:[^"\\\n]|\\.)*")\n/.exec(beginning) ?? [];
  return scalar && (JSON.parse(scalar) as string);
}

/** A JSON string is a YAML string, if what YAML does not print is escaped as well. */
function scalar(value: string | number): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
