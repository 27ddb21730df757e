/** How a body is read. */
export type DocumentKind = 'html' | 'markdown' | 'text' | 'pdf';

const types: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^(?:text\/html|application\/xhtml\+xml)\b/i, 'html'],
  [/^text\/(?:x-)?markdown\b/i, 'markdown'],
  [/^(?:text\/plain|application\/(?:[\w.-]+\+)?json|text\/json)\b/i, 'text'],
  [/^application\/(?:x-)?pdf\b/i, 'pdf'],
];
const binary = /^(?:application|binary)\/(?:octet-stream|x-download|force-download|download)\b/i;

/** By content type, or by file name if the type is generic. Undefined: not read. */
export function kindByHead(contentType: string | undefined, url: string): DocumentKind | undefined {
  // Without a type it is treated as HTML, as in browsers.
  if (contentType === undefined) return 'html';
  const known = types.find(([type]) => type.test(contentType))?.[1];
  if (known) return known;
  return binary.test(contentType) && /\.pdf(?:$|[?#])/i.test(url) ? 'pdf' : undefined;
}

/** Some servers declare a PDF as text or HTML. Its signature may follow a few garbage bytes. */
export function kindByContent(
  contentType: string | undefined,
  url: string,
  body: Buffer,
): DocumentKind | undefined {
  if (body[0] === percent || mayHavePreamble(contentType, url)) {
    if (body.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  }
  return kindByHead(contentType, url);
}

const percent = 0x25;
const mayHavePreamble = (contentType: string | undefined, url: string) =>
  contentType !== undefined && kindByHead(contentType, url) === 'pdf';
