import { encodingName } from './encodings.ts';

/**
 * The encoding named by a `<meta>` in the first bytes, or null: HTML's "prescan a byte stream to determine its encoding". `text`
 * has one character per byte.
 */
export function prescanMeta(text: string): string | null {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 2);
      if (end === -1) return null;
      at = end + 3;
    } else if (/^<meta[\s/]/i.test(text.slice(at, at + 6))) {
      const attributes = readAttributes(text, at + 5);
      if (attributes === null) return null;
      const encoding = encodingOfMeta(attributes.values);
      if (encoding !== null) return encoding;
      at = attributes.end;
    } else if (/^<\/?[a-z]/i.test(text.slice(at, at + 3))) {
      const nameEnd = /[\s>]/g;
      nameEnd.lastIndex = at;
      const attributes = nameEnd.test(text) ? readAttributes(text, nameEnd.lastIndex - 1) : null;
      if (attributes === null) return null;
      at = attributes.end;
    } else if (/^<[!/?]/.test(text.slice(at, at + 2))) {
      const end = text.indexOf('>', at);
      if (end === -1) return null;
      at = end + 1;
    } else at++;
  }
  return null;
}

function encodingOfMeta(attributes: ReadonlyMap<string, string>): string | null {
  const charset = attributes.get('charset');
  if (charset !== undefined) return declared(encodingName(charset));
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return null;
  const label = charsetOfContent(attributes.get('content') ?? '');
  return label === null ? null : declared(encodingName(label));
}

/** HTML's "extracting a character encoding from a meta element": the word may precede without its `=`. */
export function charsetOfContent(content: string): string | null {
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))/i.exec(content);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? null;
}

/** A page whose `<meta>` was readable is not in UTF-16, whatever it declares. */
export function declared(encoding: string | null): string | null {
  if (encoding?.startsWith('utf-16')) return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

const space = /[\t\n\f\r ]/;

interface TagAttributes {
  /** By name in lower case; the first of duplicates. */
  readonly values: ReadonlyMap<string, string>;
  /** The index after the tag's `>`. */
  readonly end: number;
}

/** The attributes of a tag from `start` on; null if the text ends first. HTML's prescan calls this "get an attribute". */
function readAttributes(text: string, start: number): TagAttributes | null {
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
    // A leading equals sign belongs to the name.
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
