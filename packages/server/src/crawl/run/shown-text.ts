import { type ExtractedPage, headlineOf, type MainContent } from '../../web/html/extracted-page.ts';

/** Linear on any input: neither part passes a bracket that could begin the next image. */
const imageQuery = /(!\[(?:[^[\]\\]|\\.)*\]\([^()[?\s]*)\?[^()[\s]*(?=\))/g;

/** What a reader sees of a page: its title, its headline and its main content. A recrawl compares the hash of this. */
export function shownText({ title, headings }: ExtractedPage, { markdown }: MainContent): string {
  // Signatures and cache busters of images change with every request, and nobody sees them.
  const content = markdown.includes('![') ? markdown.replace(imageQuery, '$1') : markdown;
  return `${title ?? ''}\n${headlineOf(headings) ?? ''}\n${content}`;
}
