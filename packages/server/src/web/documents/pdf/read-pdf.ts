import { HoldfastError } from '@holdfast/contract';
import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { limits } from '../../html/limits.ts';
import { collapseSpace, cutText, storableText } from '../../html/page-text.ts';
import type { DocumentText } from '../document-text.ts';
import { withoutFurniture } from './page-furniture.ts';
import { type Block, blocksOf, type OutlineEntry } from './pdf-blocks.ts';
import { type Line, linesOf, type PdfLink, type PdfTextItem } from './pdf-lines.ts';
import { plainText, writeMarkdown } from './write-markdown.ts';

export interface PdfLimits {
  /** Pages beyond this time are left out. */
  readonly readingMs: number;
  readonly maxPages: number;
  /** Whether the memory limit was reached, which pdf.js does not always report. */
  readonly isOverBudget: () => boolean;
}

/** Reads the text of a PDF as markdown. Throws a HoldfastError if it is encrypted or damaged. */
export async function readPdf(body: Uint8Array, given: PdfLimits): Promise<DocumentText> {
  const ends = performance.now() + given.readingMs;
  const pdfjs = await import('unpdf/pdfjs');
  const task = pdfjs.getDocument({
    data: body,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  try {
    return await readDocument(await task.promise, given, ends);
  } catch (error) {
    if (given.isOverBudget())
      throw new HoldfastError('page_unreadable', 'the document takes too much memory');
    throw asFailure(error);
  } finally {
    await task.destroy().catch(() => {});
  }
}

async function readDocument(
  document: PDFDocumentProxy,
  given: PdfLimits,
  ends: number,
): Promise<DocumentText> {
  const pages: Line[][] = [];
  const links = new Set<string>();
  let chars = 0;
  const wanted = Math.min(document.numPages, given.maxPages);
  let failure: unknown;
  for (let number = 1; number <= wanted; number++) {
    if (number > 1 && (performance.now() > ends || chars > limits.markdownLength)) break;
    // A damaged page does not affect the others.
    const read = await readPage(document, number).catch((error: unknown) => {
      failure ??= error;
      return { lines: [] as Line[], links: [] as PdfLink[] };
    });
    if (given.isOverBudget()) throw failure;
    pages.push(read.lines);
    for (const { href } of read.links) if (links.size < limits.links) links.add(href);
    for (const { runs } of read.lines) for (const { text } of runs) chars += text.length;
  }
  if (chars === 0 && failure) throw failure;
  const { title, author, language } = await metadataOf(document);
  const outline = await outlineOf(document);
  const blocks = blocksOf(withoutFurniture(pages), outline);
  return {
    ...textOfBlocks(blocks, title),
    author,
    language,
    links: [...links],
    pages: document.numPages,
    pagesRead: pages.length,
  };
}

async function readPage(document: PDFDocumentProxy, number: number) {
  const page = await document.getPage(number);
  try {
    const [content, annotations] = await Promise.all([page.getTextContent(), page.getAnnotations()]);
    const viewport = page.getViewport({ scale: 1 });
    const links = annotations.flatMap((annotation): PdfLink[] => {
      const { subtype, url, rect } = annotation as { subtype?: string; url?: string; rect?: number[] };
      if (subtype !== 'Link' || !url || !rect || url.length > limits.hrefLength) return [];
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = viewport.convertToViewportRectangle(rect);
      return [{ href: url, box: [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)] }];
    });
    const items = content.items.filter((item) => 'str' in item) as PdfTextItem[];
    const isCode = (font: string) => content.styles[font]?.fontFamily === 'monospace';
    return { lines: linesOf({ number, items, links, transform: viewport.transform, isCode }), links };
  } finally {
    page.cleanup();
  }
}

function textOfBlocks(blocks: readonly Block[], named: string | null) {
  const headings: DocumentText['headings'][number][] = [];
  for (const block of blocks)
    if (block.kind === 'heading' && headings.length < limits.headings)
      headings.push({ level: block.level, text: cutText(plainText(block.runs), limits.headingLength) });
  const first = headings.reduce<(typeof headings)[number] | undefined>(
    (top, heading) => (top === undefined || heading.level < top.level ? heading : top),
    undefined,
  );
  const title = named ?? first?.text ?? null;
  const body = storableText(writeMarkdown(blocks));
  const text = body.replaceAll(/<a id="page-\d+"><\/a>/g, '');
  const hasText = /\S/.test(text);
  const markdown =
    hasText && title !== null && !opensWith(headings, title)
      ? `# ${collapseSpace(title)}\n\n${body}`
      : hasText
        ? body
        : '';
  return {
    title,
    headings,
    markdown: cutText(markdown, limits.markdownLength),
    isTruncated: markdown.length > limits.markdownLength,
    wordCount: text.match(/[\u3040-\u9fff]|[^\s\u3040-\u9fff]+/g)?.length ?? 0,
  };
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function opensWith(headings: DocumentText['headings'], title: string): boolean {
  return headings.slice(0, 2).some(({ text }) => letters(text) === letters(title));
}

/** Default titles set by programs, which do not describe the content. */
const meaningless =
  /^(?:untitled|title|document\d*|slide \d+|no title)$|\.(?:docx?|tex|dvi|indd|qxd|pptx?|xlsx?|odt|ps|eps)$/i;

async function metadataOf(document: PDFDocumentProxy) {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const { Title, Author, Language } = info as Record<string, unknown>;
  const title = textIn(Title)?.replace(/^Microsoft (?:Word|PowerPoint) - /, '');
  const language = textIn(Language);
  return {
    title: title && !meaningless.test(title) ? cutText(title, limits.titleLength) : null,
    author: textIn(Author) ?? null,
    language: language && /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(language) ? language : null,
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string'
    ? storableText(collapseSpace(value)).trim().slice(0, 500) || undefined
    : undefined;
}

const outlineEntries = 5_000;

interface OutlineNode {
  readonly title: string;
  readonly items: readonly OutlineNode[];
}

async function outlineOf(document: PDFDocumentProxy): Promise<OutlineEntry[]> {
  const top = (await document.getOutline().catch(() => null)) as readonly OutlineNode[] | null;
  const entries: OutlineEntry[] = [];
  const queue = (top ?? []).map((node) => ({ node, level: 1 }));
  for (const { node, level } of queue) {
    if (entries.length >= outlineEntries) break;
    entries.push({ title: node.title, level });
    for (const child of node.items) queue.push({ node: child, level: level + 1 });
  }
  return entries;
}

function asFailure(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { name, message } = error as Error;
  if (name === 'PasswordException')
    return new HoldfastError('document_encrypted', 'it opens only with a password');
  return new HoldfastError('document_damaged', message.slice(0, 200));
}
