const space = /[\t\n\f\r ]/;

export interface TagAttributes {
  /** Names in lower case; of several with one name, the first. */
  readonly values: ReadonlyMap<string, string>;
  /** Behind the tag's `>`. */
  readonly end: number;
}

/** The attributes of a tag from `start` on; null if the text ends before the tag. HTML's prescan calls it "get an attribute". */
export function readAttributes(text: string, start: number): TagAttributes | null {
  const values = new Map<string, string>();
  let at = start;
  const skip = (pattern: RegExp): void => {
    while (at < text.length && pattern.test(text[at] as string)) at++;
  };
  const read = (until: RegExp): string => {
    const from = at;
    while (at < text.length && !until.test(text[at] as string)) at++;
    return text.slice(from, at);
  };

  while (at < text.length) {
    skip(/[\t\n\f\r /]/);
    if (text[at] === '>') return { values, end: at + 1 };
    // An equals sign can begin a name, not end an empty one.
    const first = text[at++] ?? '';
    const name = (first + read(/[\t\n\f\r />=]/)).toLowerCase();
    skip(space);
    let value = '';
    if (text[at] === '=') {
      at++;
      skip(space);
      const quote = text[at];
      if (quote === '"' || quote === "'") {
        const end = text.indexOf(quote, at + 1);
        if (end === -1) return null;
        value = text.slice(at + 1, end);
        at = end + 1;
      } else value = read(/[\t\n\f\r >]/);
    }
    if (at >= text.length) return null;
    if (!values.has(name)) values.set(name, value);
  }
  return null;
}
