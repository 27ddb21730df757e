/** Traits found while counting a text, so that rendering does not scan it again. */
export const trait = {
  /** White space other than single blanks. */
  spaced: 1 << 10,
  /** An ampersand, so there may be character references. */
  entities: 1 << 11,
  /** Characters that may be markdown. */
  markup: 1 << 12,
} as const;

const plain = 0;
const blank = 1;
const space = 2;
const markup = 3;
const ampersand = 4;

const kinds = new Uint8Array(256);
for (const c of '\t\n\v\f\r') kinds[c.charCodeAt(0)] = space;
for (const c of '\\`*_[]<~') kinds[c.charCodeAt(0)] = markup;
kinds[32] = blank;
kinds[160] = blank;
kinds[38] = ampersand;

export interface CountedText {
  chars: number;
  words: number;
  traits: number;
}

/** Counts words and characters without white space. The result is reused, because this runs for every text. */
export function countText(html: string, start: number, end: number, into: CountedText): void {
  let chars = 0;
  let words = 0;
  let traits = 0;
  let afterSpace = true;
  let afterBlank = false;
  for (let at = start; at < end; at++) {
    const code = html.charCodeAt(at);
    const kind = code < 256 ? (kinds[code] as number) : plain;
    if (kind === blank) {
      if (afterBlank) traits |= trait.spaced;
      afterBlank = true;
      afterSpace = true;
    } else if (kind === space) {
      traits |= trait.spaced;
      afterSpace = true;
    } else {
      chars++;
      if (kind === markup) traits |= trait.markup;
      else if (kind === ampersand) traits |= trait.entities | trait.markup;
      // Chinese and Japanese write no spaces: each character counts as a word.
      const ideograph = code >= 0x3040 && code <= 0x9fff;
      if (afterSpace || ideograph) words++;
      afterSpace = ideograph;
      afterBlank = false;
    }
  }
  into.chars = chars;
  into.words = words;
  into.traits = traits;
}
