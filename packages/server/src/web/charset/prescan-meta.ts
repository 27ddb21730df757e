import { encodingName } from './encoding-name.ts';
import { readAttributes } from './read-attributes.ts';

/**
 * The encoding that a `<meta>` in the first bytes names, or null: HTML's "prescan a byte stream to determine its
 * encoding". `text` has one character for each byte.
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

/** "Extracting a character encoding from a meta element": the word may come several times without its `=`. */
export function charsetOfContent(content: string): string | null {
  const match = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))/i.exec(content);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? null;
}

/** A page that can be read as far as its `<meta>` is not in UTF-16, whatever it says. */
export function declared(encoding: string | null): string | null {
  if (encoding?.startsWith('utf-16')) return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}
