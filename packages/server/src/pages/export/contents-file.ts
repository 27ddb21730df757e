import { escapeInline } from '../../web/html/markdown/escape-markdown.ts';
import type { StoredPage } from '../stored/stored-page.ts';

/** The head of the list of all pages in a folder. */
export function contentsTitle(site: string): string {
  return `# Pages of ${site}\n\n`;
}

export function contentsLine({ title, url }: StoredPage, link: string): string {
  const name = (title ?? '').replaceAll(/\s+/g, ' ').trim() || url;
  return `- [${escapeInline(name, true)}](${link})\n`;
}
