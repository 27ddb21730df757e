import { inflateRawSync } from 'node:zlib';

/*
 * The links of a page are stored as lines, folded or deflated: first those that a crawl follows, then, after an empty line, those
 * that the page asks not to follow. A recrawl of an unchanged page follows the stored links.
 */

export function linkLines(followed: readonly string[], others: readonly string[]): string {
  const lines = followed.join('\n');
  return others.length > 0 ? `${lines}\n\n${others.join('\n')}` : lines;
}

/** The lines of a stored column, folded or deflated. */
export function storedLines(links: Buffer): string {
  return unfoldLines(links) ?? inflateRawSync(links).toString('utf8');
}

export function followedLinks(lines: string): string[] {
  const end = lines.indexOf('\n\n');
  const followed = end === -1 ? lines : lines.slice(0, end);
  return followed === '' ? [] : followed.split('\n');
}

export function allLinks(lines: string): string[] {
  return lines.split('\n').filter((line) => line !== '');
}

/** Marks folded lines. No deflated text begins with it (a reserved block type), so one column can hold both. */
const mark = 0x07;
const newline = 0x0a;
/** One ASCII byte. */
const longestPrefix = 0x7f;
/** PostgreSQL moves longer values out of the row; there the smaller deflated form is better. */
const maxBytes = 1_500;
const maxText = 8_192;
const text = Buffer.alloc(maxText + 1);
const folded = Buffer.alloc(maxBytes);

/**
 * Front coding: each ASCII line is stored as the length of the prefix it shares with the line before, and the rest. Four times as
 * fast as zlib for the links of a page (ADR 32). Null for lines that are better deflated.
 */
export function foldLines(lines: string): Buffer | null {
  const { length } = lines;
  if (length > maxText || Buffer.byteLength(lines) !== length) return null;
  text.write(lines, 0, 'latin1');
  text[length] = newline;
  folded[0] = mark;
  let end = 1;
  let previous = length;
  for (let start = 0, at = 0; start <= length; start = ++at) {
    let like = previous;
    const most = start + longestPrefix;
    while (at < most && text[at] === text[like] && text[at] !== newline) {
      at++;
      like++;
    }
    if (end + 2 > maxBytes) return null;
    folded[end++] = at - start;
    for (; text[at] !== newline; at++) {
      if (end + 2 > maxBytes) return null;
      folded[end++] = text[at] as number;
    }
    folded[end++] = newline;
    previous = start;
  }
  return Buffer.from(folded.subarray(0, end));
}

/** Null when these bytes are not folded. */
export function unfoldLines(bytes: Buffer): string | null {
  if (bytes[0] !== mark) return null;
  const lines: string[] = [];
  let previous = '';
  for (let start = 1; start < bytes.length; ) {
    const end = bytes.indexOf(newline, start + 1);
    previous = previous.slice(0, bytes[start]) + bytes.toString('latin1', start + 1, end);
    lines.push(previous);
    start = end + 1;
  }
  return lines.join('\n');
}
