const newline = 10;
const exclamation = 33;

/**
 * Collects the text of one line and collapses white space across elements. A space is written only when text follows. The last
 * character is remembered because reading the end of a growing string copies it: quadratic time on 300,000 links in a line.
 */
export class InlineRun {
  /** The text began with a space, which `out` leaves out. */
  startsSpaced = false;
  /** The text ends with a space, which `out` does not have yet. */
  endsSpaced = false;
  #last = newline;
  #out = '';
  /** The text ends with an exclamation mark, held back because a link after it requires an escape. */
  #exclaims = false;

  get out(): string {
    return this.#exclaims ? `${this.#out}!` : this.#out;
  }

  /** Appends text with collapsed white space. */
  append(text: string): void {
    const from = text.charCodeAt(0) === 32 ? 1 : 0;
    if (from === 1) this.space();
    const to = text.length > from && text.charCodeAt(text.length - 1) === 32 ? text.length - 1 : text.length;
    if (to > from) this.write(from === 0 && to === text.length ? text : text.slice(from, to));
    if (to < text.length) this.space();
  }

  space(): void {
    if (this.#out === '' && !this.#exclaims) this.startsSpaced = true;
    this.endsSpaced = true;
  }

  /** Writes text without space at either end. */
  write(text: string): void {
    if (text === '') return;
    this.#settle('!');
    if (this.endsSpaced && this.#last !== newline) this.#out += ' ';
    this.#last = text.charCodeAt(text.length - 1);
    this.#exclaims = this.#last === exclamation;
    this.#out += this.#exclaims ? text.slice(0, -1) : text;
    this.endsSpaced = false;
  }

  #settle(mark: string): void {
    if (this.#exclaims) this.#out += mark;
    this.#exclaims = false;
  }

  breakLine(): void {
    this.#settle('!');
    this.#out += '\n';
    this.#last = newline;
    this.endsSpaced = false;
  }

  /** Writes another run between two marks, with its outer space outside the marks. */
  wrap(before: string, inner: InlineRun, after: string): void {
    if (inner.startsSpaced) this.space();
    const core = inner.out.includes('\n') ? joinLines(inner.out, ' ').trim() : inner.out;
    if (core !== '') {
      // "!" before a link would make it an image.
      if (before === '[' && !this.endsSpaced) this.#settle('\\!');
      this.write(before + core + after);
    }
    if (inner.endsSpaced) this.space();
  }
}

/**
 * Replaces line breaks, with the space around them, by `by`; several in a row count as one. A regular expression would take
 * quadratic time over long runs of space.
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

/** Hard line breaks: two spaces at the end of a line, none at its start. */
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
