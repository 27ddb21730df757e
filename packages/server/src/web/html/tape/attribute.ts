const names = [
  'alt', 'aria-hidden', 'aria-label', 'checked', 'class', 'colspan', 'content', 'data', 'data-hook', 'data-lang',
  'data-language', 'data-price', 'data-qa', 'data-src', 'data-test', 'data-test-id', 'data-testid', 'datetime',
  'disabled', 'display', 'encoding', 'hidden', 'href', 'http-equiv', 'id', 'itemid', 'itemprop', 'itemref', 'itemscope', 'itemtype', 'lang',
  'name', 'prefix', 'property', 'rel', 'required', 'role', 'rowspan', 'src', 'start', 'style', 'title', 'type', 'value',
  'xml:lang',
] as const; // biome-ignore format: a list of words

export type AttributeName = (typeof names)[number];

/** Attributes that any reader asks for, numbered from 1; all others are passed over. */
export const attribute = Object.freeze(
  Object.fromEntries(names.map((name, index) => [name, index + 1])),
) as Readonly<Record<AttributeName, number>>;

export const attributeCount = names.length + 1;

const ids = new Map<string, number>(names.map((name, index) => [name, index + 1]));
const longest = Math.max(...names.map((name) => name.length));

export function attributeOf(html: string, start: number, end: number): number {
  if (end - start > longest) return 0;
  const written = html.slice(start, end);
  return ids.get(written) ?? (/[A-Z]/.test(written) ? (ids.get(written.toLowerCase()) ?? 0) : 0);
}
