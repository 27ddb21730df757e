const narrowest = 30;

/** Fitted where a person reads it; for a file or a pipe, as it is. */
export function forTerminal(text: string, { isTTY, columns }: NodeJS.WriteStream = process.stdout): string {
  return isTTY ? fitText(text, columns) : text;
}

/**
 * A text for a terminal of this width: lines that are too long go on below where their last column begins, or else a little further in
 * than they do. Terminals break lines within words, and tables into rubble.
 */
export function fitText(text: string, width: number): string {
  // A sentence that was broken for wider terminals becomes one line first.
  const broken = new RegExp(`^(\\S.{${width},})\n(?=[a-z])`, 'gm');
  return text
    .replaceAll(broken, '$1 ')
    .split('\n')
    .flatMap((line) => fitLine(line, width))
    .join('\n');
}

function fitLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  // Two spaces and more stand between columns.
  const gap = [...line.matchAll(/(?<=\S) {2,}(?=\S)/g)].at(-1);
  const column = gap ? gap.index + gap[0].length : 0;
  if (gap && width - column < narrowest) {
    const rest = `${indent}    ${line.slice(column)}`;
    return [line.slice(0, gap.index), ...fitLine(rest, width)];
  }
  const hanging = ' '.repeat(column || indent.length);
  const lines: string[] = [];
  let open = line.slice(0, hanging.length);
  for (const word of line.slice(hanging.length).split(' ')) {
    const longer = open.length === hanging.length ? open + word : `${open} ${word}`;
    if (longer.length <= width || open.length === hanging.length) open = longer;
    else {
      lines.push(open);
      open = hanging + word;
    }
  }
  return [...lines, open];
}
