/** How a body is read. */
export type DocumentKind = 'html' | 'markdown' | 'text' | 'pdf';

const types: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^(?:text\/html|application\/xhtml\+xml)\b/i, 'html'],
  [/^text\/(?:x-)?markdown\b/i, 'markdown'],
  [/^(?:text\/plain|application\/(?:[\w.-]+\+)?json|text\/json)\b/i, 'text'],
  [/^application\/(?:x-)?pdf\b/i, 'pdf'],
];
const binary = /^(?:application|binary)\/(?:octet-stream|x-download|force-download|download)\b/i;

/** By its type alone, or by its name where the type says nothing. Undefined: it is not read. */
export function kindByHead(contentType: string | undefined, url: string): DocumentKind | undefined {
  // Without a type it is taken for a page, as browsers do.
  if (contentType === undefined) return 'html';
  const known = types.find(([type]) => type.test(contentType))?.[1];
  if (known) return known;
  return binary.test(contentType) && /\.pdf(?:$|[?#])/i.test(url) ? 'pdf' : undefined;
}

/** Some servers call a PDF text or HTML. Its mark may come after a few bytes of rubbish. */
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
