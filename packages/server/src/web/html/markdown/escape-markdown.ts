const suspicious = /[\\`*_[\]<&~]/;
const asciiWord = /[\p{L}\p{N}]/u;

/** Escapes only what would be markup within a line: needless backslashes make prose hard to read. */
export function escapeInline(text: string, inLink: boolean): string {
  if (!suspicious.test(text)) return text;
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!needsEscape(text, at, inLink)) continue;
    out += `${text.slice(from, at)}\\`;
    from = at;
  }
  return out + text.slice(from);
}

function needsEscape(text: string, at: number, inLink: boolean): boolean {
  const next = text[at + 1] ?? '';
  switch (text[at]) {
    case '\\':
      return /[!-/:-@[-`{-~]/.test(next);
    case '`':
      return true;
    case '*':
      return !(isSpaceOrEdge(text[at - 1]) && isSpaceOrEdge(next));
    case '_':
      return !(isWord(text[at - 1]) && isWord(next)) && !(isSpaceOrEdge(text[at - 1]) && isSpaceOrEdge(next));
    case '[':
      return inLink || next === '^';
    case ']':
      return inLink || next === '(' || next === '[' || next === ':';
    case '<':
      return /[a-z/!?]/i.test(next);
    case '&':
      return /^&(?:#\w{1,8}|[a-z]\w{1,31});/i.test(text.slice(at, at + 34));
    case '~':
      return next === '~';
    default:
      return false;
  }
}

function isSpaceOrEdge(c: string | undefined): boolean {
  return c === undefined || c === '' || c === ' ' || c === '\n';
}

function isWord(c: string | undefined): boolean {
  return c !== undefined && asciiWord.test(c);
}

const lineStart = /^(?:(#{1,6})(?=\s|$)|([-+])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|(>)|(=+|-+|~{3,})(?=\s*$))/;

/** Escapes what would start a heading, list, quote or rule at the beginning of a line. */
export function escapeLineStarts(paragraph: string): string {
  const starts = paragraph.charCodeAt(0);
  if (!paragraph.includes('\n') && (starts > 0x3e || starts === 32)) return paragraph;
  return paragraph
    .split('\n')
    .map((line) =>
      lineStart.test(line)
        ? line.replace(lineStart, (found, _h, _m, digits?: string, stop?: string) =>
            digits === undefined ? `\\${found}` : `${digits}\\${stop}`,
          )
        : line,
    )
    .join('\n');
}
