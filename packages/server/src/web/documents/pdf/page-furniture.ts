import type { Line } from './pdf-lines.ts';

/** Maximum lines at the top or bottom that may be a header or footer. */
const outerLines = 2;
/** Lines of running text are closer together. */
const gapInSizes = 1.5;
/** Left and right pages may have different ones. */
const reach = 2;
const continued =
  /^\((?:continues on (?:the )?next page|continued (?:from|on) (?:the )?(?:previous|next) page)\)$/i;
const pageNumber =
  /^(?:(?:page|seite|p\.)\s*)?[-–—\s]*(?:\d{1,5}|[ivxlc]{1,8})[-–—\s]*(?:(?:of|\/|von)\s*\d{1,5})?$/i;

/**
 * Removes running headers, footers and page numbers: outer lines, separated from the text, that nearby pages repeat.
 */
export function withoutFurniture(pages: readonly (readonly Line[])[]): Line[][] {
  const outer = pages.map(outerOf);
  const offset = folioOffset(outer);
  return pages.map((lines, at) => {
    const isFurniture = (line: Line, text: string) =>
      pageNumber.test(textOf(line)) || isNear(outer, at, line, text) || folioOf(line) === line.page + offset;
    const gone = new Set<Line>();
    for (const [line, text] of outer[at] as Map<Line, string>) if (isFurniture(line, text)) gone.add(line);
    return lines.filter((line) => !gone.has(line) && !continued.test(textOf(line)));
  });
}

/** The page's number in a header or footer: `12` in "2.3 Sections    12". */
function folioOf(line: Line): number {
  const [, first, last] = /^(\d{1,5})\t|\t(\d{1,5})$/.exec(textOf(line)) ?? [];
  return Number(first ?? last ?? Number.NaN);
}

/** The offset between printed page numbers and page indexes, caused by cover and table of contents. */
function folioOffset(outer: readonly Map<Line, string>[]): number {
  const counts = new Map<number, number>();
  for (const lines of outer)
    for (const line of lines.keys()) {
      const offset = folioOf(line) - line.page;
      if (!Number.isNaN(offset)) counts.set(offset, (counts.get(offset) ?? 0) + 1);
    }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most && most[1] > 2 ? most[0] : Number.NaN;
}

/** The lines above and below a gap at either end of the page, with their text apart from the page's number. */
function outerOf(lines: readonly Line[]): Map<Line, string> {
  const ordered = [...lines].sort((a, b) => a.y - b.y);
  const chosen = [...apart(ordered), ...apart(ordered.reverse())];
  return new Map(chosen.map((line) => [line, textOf(line).replace(/^[\divxlc]+\b|\b[\divxlc]+$/gi, '#')]));
}

function apart(fromEdge: readonly Line[]): readonly Line[] {
  for (let count = outerLines; count > 0; count--) {
    const [last, next] = [fromEdge[count - 1], fromEdge[count]];
    if (last && next && Math.abs(next.y - last.y) > gapInSizes * Math.max(next.size, last.size))
      return fromEdge.slice(0, count);
  }
  return fromEdge.length <= outerLines ? fromEdge : [];
}

function isNear(outer: readonly Map<Line, string>[], at: number, line: Line, text: string): boolean {
  for (let other = at - reach; other <= at + reach; other++) {
    if (other === at) continue;
    for (const [its, itsText] of outer[other] ?? [])
      if (itsText === text && Math.abs(its.y - line.y) < 3) return true;
  }
  return false;
}

export function textOf({ runs }: Line): string {
  let text = '';
  for (const run of runs) text += run.text;
  return text.trim();
}
