import { deflateRawSync } from 'node:zlib';
import { linkLines } from '../../pages/stored/page-links.ts';
import type { PageHeading } from '../../web/html/extracted-page.ts';
import { limits } from '../../web/html/limits.ts';
import { collapseSpace, cutText, storableText } from '../../web/html/page-text.ts';
import { shaUuid } from '../../web/urls/hashes.ts';
import { proveContent } from './prove-content.ts';
import type { ReadBody } from './read-result.ts';

interface TextRequest {
  readonly url: string;
  readonly isMarkdown: boolean;
  readonly wantsMarkdown: boolean;
  readonly canonical: (href: string) => string | null;
}

/** Plain text, JSON and markdown are stored as they are. */
export function readText(
  received: string,
  { url, isMarkdown, wantsMarkdown, canonical }: TextRequest,
): ReadBody {
  const text = storableText(received);
  const words = text.split(/\s+/).length;
  const proof = proveContent(url, text.replaceAll('<', ' '), words, () => null);
  const { title, headings, hrefs } = isMarkdown ? readMarkdown(text) : nothingMore;
  const links = [...new Set(hrefs.flatMap((href) => canonical(href) ?? []))];
  const content = {
    links: links.length > 0 ? deflate(linkLines(links, [])) : null,
    markdown: wantsMarkdown ? deflate(text) : null,
    html: null,
  };
  return {
    page: {
      ...(isMarkdown && { title, structured: headings.length > 0 ? { headings } : null }),
      word_count: words,
      content_hash: shaUuid(text),
      content,
    },
    links,
    proof,
  };
}

const nothingMore = { title: null, headings: [] as PageHeading[], hrefs: [] as string[] };
const frontMatter = /^---\r?\n([\s\S]{0,20000}?)\r?\n(?:---|\.\.\.)(?:\r?\n|$)/;
/** Targets of links, but not of images. Linear: no part runs past a bracket that could begin the next link. */
const link =
  /(!?)\[(?:[^[\]\\]|\\.){0,2000}\]\(\s*(?:<([^<>\n]{1,2048})>|((?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2048}))/g;
const autolink = /<(https?:\/\/[^\s<>]{1,2048})>/g;
const reference = /^ {0,3}\[[^[\]\n]{1,200}\]:[ \t]*<?([^\s<>]{1,2048})/gm;

/** Title, headings and links. A title in the front matter comes first, then the first heading of level 1. */
function readMarkdown(
  text: string,
): typeof nothingMore | { title: string | null; headings: PageHeading[]; hrefs: string[] } {
  const front = frontMatter.exec(text);
  const named = /^title:[ \t]*(.{1,1000})$/m
    .exec(front?.[1] ?? '')?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, '$2');
  const prose = withoutCode(front ? text.slice(front[0].length) : text);
  const headings: PageHeading[] = [];
  for (const [, marks = '', heading = ''] of prose.matchAll(/^ {0,3}(#{1,6})[ \t]+(.+)$/gm)) {
    if (headings.length >= limits.headings) break;
    const shown = collapseSpace(heading.replace(/[ \t]+#+[ \t]*$/, ''));
    headings.push({ level: marks.length, text: cutText(shown, limits.headingLength) });
  }
  const hrefs: string[] = [];
  for (const [, image, bracketed, bare] of prose.matchAll(link)) {
    const href = bracketed ?? bare ?? '';
    if (image === '' && !href.startsWith('#') && hrefs.length < limits.links) hrefs.push(href);
  }
  for (const pattern of [autolink, reference])
    for (const [, href = ''] of prose.matchAll(pattern)) if (hrefs.length < limits.links) hrefs.push(href);
  const title = named || (headings.find(({ level }) => level === 1)?.text ?? null);
  return { title: title === null ? null : cutText(title, limits.titleLength), headings, hrefs };
}

/** Comments in shell scripts look like headings. */
function withoutCode(text: string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .filter((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined) {
        fence = mark;
        return mark === undefined;
      }
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      return false;
    })
    .join('\n');
}

function deflate(text: string): Buffer {
  return deflateRawSync(text, { level: 1 });
}
