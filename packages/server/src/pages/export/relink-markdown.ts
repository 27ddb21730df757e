/** `](target)`, where parentheses in the target stand in pairs. */
const link = /\]\(([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/g;
/** Behind backticks, a line that has more of them is code within a line, and no fence. */
const fence = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})([\s\S]*)/;

/** The targets of the links in a markdown text, each once. What stands in code is no link. */
export function linksInMarkdown(markdown: string): string[] {
  const found = new Set<string>();
  relinkMarkdown(markdown, (target) => {
    found.add(target);
    return undefined;
  });
  return [...found];
}

/** The text with other targets for its links; those for which there is none stay. */
export function relinkMarkdown(markdown: string, targetOf: (target: string) => string | undefined): string {
  if (!markdown.includes('](')) return markdown;
  let open: string | undefined;
  const lines = markdown.split('\n').map((line) => {
    const [, mark, behind] = fence.exec(line) ?? [];
    if (open !== undefined) {
      if (mark?.startsWith(open) && behind?.trim() === '') open = undefined;
      return line;
    }
    open = mark;
    return mark === undefined && line.includes('](') ? relinkLine(line, targetOf) : line;
  });
  return lines.join('\n');
}

function relinkLine(line: string, targetOf: (target: string) => string | undefined): string {
  const code = codeSpans(line);
  let span = 0;
  return line.replace(link, (whole, target: string, at: number) => {
    while ((code[span]?.end ?? Number.POSITIVE_INFINITY) <= at) span++;
    if ((code[span]?.start ?? Number.POSITIVE_INFINITY) < at) return whole;
    const other = targetOf(target);
    return other === undefined ? whole : `](${other})`;
  });
}

/** Where code stands in a line: from a run of backticks to the next one of the same length. */
function codeSpans(line: string): { start: number; end: number }[] {
  if (!line.includes('`')) return [];
  const runs = [...line.matchAll(/\\`|`+/g)].filter(([run]) => run !== '\\`');
  // From the end, so that each run knows its partner without a search.
  const nextOf = new Map<number, number>();
  const partners: (number | undefined)[] = [];
  for (let place = runs.length - 1; place >= 0; place--) {
    const length = runs[place]?.[0].length ?? 0;
    partners[place] = nextOf.get(length);
    nextOf.set(length, place);
  }
  const spans: { start: number; end: number }[] = [];
  for (let place = 0; place < runs.length; place++) {
    const partner = partners[place];
    if (partner === undefined) continue;
    spans.push({ start: runs[place]?.index ?? 0, end: runs[partner]?.index ?? 0 });
    place = partner;
  }
  return spans;
}
