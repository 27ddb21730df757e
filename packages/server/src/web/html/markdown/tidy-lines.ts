/**
 * Puts `by` for each line break and the space around it; several breaks in a row are one. A pattern for it takes quadratic
 * time over long runs of space: it starts anew at each of them.
 */
export function joinLines(text: string, by: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const last = lines.length - 1;
  let out = '';
  let isFirst = true;
  for (const [index, line] of lines.entries()) {
    const tidy = index === 0 ? line.trimEnd() : index === last ? line.trimStart() : line.trim();
    if (tidy === '' && index > 0 && index < last) continue;
    out += isFirst ? tidy : by + tidy;
    isFirst = false;
  }
  return out;
}

/** Without blanks around each break, and with two at the end of a line: a break within a paragraph. */
export function hardBreaks(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  const last = lines.length - 1;
  return lines.map((line, index) => withoutBlanks(line, index > 0, index < last)).join('  \n');
}

function withoutBlanks(line: string, atStart: boolean, atEnd: boolean): string {
  let from = 0;
  let to = line.length;
  while (atStart && from < to && line.charCodeAt(from) === 32) from++;
  while (atEnd && to > from && line.charCodeAt(to - 1) === 32) to--;
  return line.slice(from, to);
}
