const narrowest = 30;

/** Wraps text for a terminal; text for a file or a pipe stays as it is. */
export function forTerminal(text: string, { isTTY, columns }: NodeJS.WriteStream = process.stdout): string {
  return isTTY ? fitText(text, columns) : text;
}

/** Wraps long lines at words, indented to their last column; terminals would break them within words. */
export function fitText(text: string, width: number): string {
  // Sentences that are broken for wider terminals are joined first.
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
  // Columns are two or more spaces apart.
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

/** Escapes control characters: what sites send must not steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** With quotes where a shell needs them. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Shortens a text to this many characters. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, Math.max(length - 1, 0))}…` : text;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Paint = (colour: keyof typeof codes, text: string) => string;

/** Colours on a terminal that has them, unless NO_COLOR is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  const isColoured = stream.isTTY && !process.env.NO_COLOR && stream.hasColors();
  return (colour, text) => {
    const [on, off] = codes[colour];
    return isColoured && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}
