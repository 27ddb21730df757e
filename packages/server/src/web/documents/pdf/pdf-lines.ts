/** The fields of pdf.js's text items and annotations that are used. */
export interface PdfTextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly hasEOL: boolean;
  readonly fontName: string;
}

export interface PdfLink {
  readonly href: string;
  /** Left, top, right, bottom in the page's coordinates, downwards. */
  readonly box: readonly [number, number, number, number];
}

/** A run of text in one font, with at most one link. */
export interface Run {
  text: string;
  readonly isCode: boolean;
  readonly href: string | undefined;
  /** Smaller and above the line. */
  isRaised: boolean;
}

export interface Line {
  readonly page: number;
  readonly runs: Run[];
  /** Left and right edge. */
  readonly x: number;
  end: number;
  /** Baseline, downwards from the top of the page. */
  y: number;
  size: number;
  /** Of one character, for code. */
  charWidth: number;
  /** The font of its first run: a short line in another font than the text may be a heading. */
  readonly font: string;
}

export interface PdfPage {
  readonly number: number;
  readonly items: readonly PdfTextItem[];
  readonly links: readonly PdfLink[];
  /** Maps text space to the page, downwards. */
  readonly transform: readonly number[];
  readonly isCode: (fontName: string) => boolean;
}

/** The lines of a page in the order of its content, which is that of reading in nearly all documents. */
export function linesOf({ number, items, links, transform, isCode }: PdfPage): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  let isSpaced = false;
  let isEnded = false;
  for (const item of items) {
    const [x, y, size, isUpright] = place(item.transform, transform);
    if (item.str.trim() === '') {
      isSpaced = true;
      isEnded ||= item.hasEOL;
      continue;
    }
    // Marks beside the text: watermarks, and stamps of preprint servers.
    if (!isUpright) continue;
    const code = isCode(item.fontName);
    if (!line || startsLine(line, x, y, size, isEnded)) {
      line = { page: number, runs: [], x, end: x, y, size, charWidth: 0, font: item.fontName };
      lines.push(line);
      isSpaced = false;
    }
    const gap = x - line.end;
    const isRaised = line.runs.length > 0 && size < 0.85 * line.size && line.y - y > 0.2 * line.size;
    if (code && line.charWidth === 0) line.charWidth = item.width / item.str.length;
    if (line.runs.length > 0 && (isSpaced || gap > 0.15 * size)) addSpace(line, gap, code);
    // A footnote begins with its number, raised.
    if (size > line.size) {
      for (const run of line.runs) run.isRaised = y - line.y > 0.1 * size;
      line.size = size;
      line.y = y;
    }
    for (const [text, href] of linkedParts(item, x, y, size, links))
      line.runs.push({ text, isCode: code, href, isRaised });
    line.end = Math.max(line.end, x + item.width);
    isSpaced = /\s$/.test(item.str);
    isEnded = item.hasEOL;
  }
  return lines;
}

function startsLine(line: Line, x: number, y: number, size: number, isEnded: boolean): boolean {
  const shift = Math.abs(y - line.y);
  const height = Math.max(size, line.size);
  return shift > 0.6 * height || (isEnded && shift > 0.3 * height) || x < line.end - 2 * height;
}

/** Code keeps its columns; elsewhere a wide gap becomes a tab. */
function addSpace(line: Line, gap: number, isCode: boolean): void {
  const last = line.runs.at(-1) as Run;
  const blanks = isCode && line.charWidth > 0 ? Math.max(1, Math.round(gap / line.charWidth)) : 1;
  if (!isCode && gap > wideGap * line.size) last.text = `${last.text.trimEnd()}\t`;
  else if (!/\s$/.test(last.text)) last.text += ' '.repeat(Math.min(blanks, 100));
}

/** In sizes of the text. */
const wideGap = 1.8;

function place(own: readonly number[], page: readonly number[]): [number, number, number, boolean] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = own;
  const [pa = 1, pb = 0, pc = 0, pd = 1, pe = 0, pf = 0] = page;
  const right = [pa * a + pc * b, pb * a + pd * b] as const;
  const up = [pa * c + pc * d, pb * c + pd * d] as const;
  const isUpright = Math.abs(right[1]) <= 0.1 * Math.abs(right[0]);
  return [pa * e + pc * f + pe, pb * e + pd * f + pf, Math.hypot(...up), isUpright];
}

/** Splits an item where a link begins or ends within it, by the share of its width. */
function linkedParts(
  { str, width }: PdfTextItem,
  x: number,
  y: number,
  size: number,
  links: readonly PdfLink[],
): (readonly [string, string | undefined])[] {
  const middle = y - 0.3 * size;
  const cuts: [from: number, to: number, href: string][] = [];
  for (const { href, box } of links) {
    const [left, top, right, bottom] = box;
    if (middle < top || middle > bottom || right <= x || left >= x + width) continue;
    const from = wordEdge(str, ((left - x) / width) * str.length);
    const to = wordEdge(str, ((right - x) / width) * str.length);
    if (to > from) cuts.push([from, to, href]);
  }
  if (cuts.length === 0) return [[str, undefined]];
  cuts.sort(([a], [b]) => a - b);
  const parts: (readonly [string, string | undefined])[] = [];
  let at = 0;
  for (const [from, to, href] of cuts) {
    if (from < at) continue;
    if (from > at) parts.push([str.slice(at, from), undefined]);
    parts.push([str.slice(from, to), href]);
    at = to;
  }
  if (at < str.length) parts.push([str.slice(at), undefined]);
  return parts;
}

/** The nearest edge of a word: characters have different widths, so a share of the width is not exact. */
function wordEdge(text: string, position: number): number {
  const near = Math.round(Math.min(Math.max(position, 0), text.length));
  for (let distance = 0; distance <= 4; distance++) {
    for (const at of [near - distance, near + distance])
      if (at === 0 || at === text.length || (at > 0 && at < text.length && isEdge(text, at))) return at;
  }
  return near;
}

function isEdge(text: string, at: number): boolean {
  const word = /[\p{L}\p{N}]/u;
  return word.test(text[at - 1] as string) !== word.test(text[at] as string);
}
