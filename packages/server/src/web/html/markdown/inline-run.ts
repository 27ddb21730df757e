import { joinLines } from './tidy-lines.ts';

const newline = 10;
const exclamation = 33;

/**
 * Text of one line as it is gathered: runs of space are one, across element borders too. A space is written only when
 * something follows it, and the last character is remembered: looking at the end of a growing string would copy it each
 * time (measured: 290 s for 300,000 links in one line, 0.4 s so).
 */
export class InlineRun {
  /** The text began with space, which is not in `out`. */
  startsSpaced = false;
  /** The text ends with space, which is not in `out` yet. */
  endsSpaced = false;
  #last = newline;
  #out = '';
  /** The text ends with an exclamation mark, which is not in `#out` yet: before a link it is escaped. */
  #exclaims = false;

  get out(): string {
    return this.#exclaims ? `${this.#out}!` : this.#out;
  }

  /** Appends text whose space is already collapsed within itself. */
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

  /** Writes text that neither begins nor ends with space. */
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

  /** Writes another run between two marks, its space outside of them. */
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
