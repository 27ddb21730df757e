import { deflateRawSync } from 'node:zlib';
import { linkLines } from '../../pages/stored/page-links.ts';
import type { DocumentText } from '../../web/documents/document-text.ts';
import { shaUuid } from '../../web/urls/hashes.ts';
import type { ReadBody } from './read-result.ts';

const anchors = /<a id="page-\d+"><\/a>/g;

/** The stored result of a document. `canonical` resolves a link, or returns undefined. */
export function readDocument(
  document: DocumentText,
  { markdown: isWanted }: { readonly markdown: boolean },
  canonical: (href: string) => string | null,
): ReadBody {
  const { title, author, language, headings, markdown, wordCount, pages, pagesRead, isTruncated } = document;
  const links = [...new Set(document.links.flatMap((href) => canonical(href) ?? []))];
  return {
    page: {
      title,
      language,
      word_count: wordCount,
      // Pages may break at other places although the text is the same.
      content_hash: shaUuid(`${title ?? ''}\n${markdown.replaceAll(anchors, '')}`),
      structured: {
        ...(headings.length > 0 && { headings }),
        document: {
          type: 'pdf',
          pages,
          ...(pagesRead < pages && { pages_read: pagesRead }),
          ...(isTruncated && { truncated: true }),
          ...(author !== null && { author }),
        },
      },
      content: {
        links: links.length > 0 ? deflate(linkLines(links, [])) : null,
        markdown: isWanted ? deflate(markdown) : null,
        html: null,
      },
    },
    links,
  };
}

function deflate(text: string): Buffer {
  return deflateRawSync(text, { level: 1 });
}
