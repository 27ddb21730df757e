const names = [
  'a', 'abbr', 'acronym', 'address', 'annotation', 'area', 'article', 'aside', 'audio', 'b', 'base', 'big', 'blockquote', 'body',
  'br', 'button', 'canvas', 'caption', 'center', 'cite', 'code', 'col', 'colgroup', 'data', 'datalist', 'dd', 'del',
  'details', 'dfn', 'dialog', 'dir', 'div', 'dl', 'dt', 'em', 'embed', 'fieldset', 'figcaption', 'figure', 'font',
  'footer', 'form', 'frame', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'header', 'hgroup', 'hr', 'html',
  'i', 'iframe', 'img', 'input', 'ins', 'kbd', 'label', 'legend', 'li', 'link', 'main', 'map', 'math', 'menu', 'meta',
  'meter', 'nav', 'noembed', 'noframes', 'noscript', 'object', 'ol', 'optgroup', 'option', 'p', 'param', 'picture',
  'plaintext', 'pre', 'progress', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'script', 'search', 'section', 'select',
  'small', 'source', 'span', 'strike', 'strong', 'style', 'sub', 'summary', 'sup', 'svg', 'table', 'tbody', 'td',
  'template', 'textarea', 'tfoot', 'th', 'thead', 'time', 'title', 'tr', 'track', 'tt', 'u', 'ul', 'var', 'video',
  'wbr', 'xmp',
] as const; // biome-ignore format: a list of words

export type TagName = (typeof names)[number];

/** Tags are small numbers, so that reading a page compares no strings. 0 is text. */
export const tag = Object.freeze(
  Object.fromEntries(names.map((name, index) => [name, index + 1])),
) as Readonly<Record<TagName, number>>;

export const textNode = 0;
/** Unknown element names get numbers too, up to this one, so that their end tags match. */
export const maxTags = 4_096;

const ids = new Map<string, number>(names.map((name, index) => [name, index + 1]));

/** Tags by a hash of their names, so that known tags need no string. */
const hashBits = 10;
const byHash = new Int16Array(1 << hashBits);
const codes = names.map((name) => Uint8Array.from(name, (char) => char.charCodeAt(0)));
for (const [index, name] of names.entries()) byHash[hashOf(name, 0, name.length)] = index + 1;

function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 0x9e37) + text.charCodeAt(at);
  return (hash ^ (hash >>> hashBits)) & ((1 << hashBits) - 1);
}

export function tagOf(html: string, start: number, end: number): number {
  if (end - start > 10) return tagOfUnusual(html.slice(start, end));
  const id = byHash[hashOf(html, start, end)] as number;
  const code = codes[id - 1];
  if (code?.length !== end - start) return tagOfUnusual(html.slice(start, end));
  for (let at = 0; at < code.length; at++)
    if (html.charCodeAt(start + at) !== code[at]) return tagOfUnusual(html.slice(start, end));
  return id;
}

function tagOfUnusual(written: string): number {
  if (written.length > 64) return maxTags - 1;
  const name = written.toLowerCase();
  const id = ids.get(name);
  if (id !== undefined) return id;
  if (ids.size >= maxTags - 2) return maxTags - 1;
  // Concatenation copies the string: a slice would keep the whole page alive.
  ids.set(` ${name}`.slice(1), ids.size + 1);
  return ids.size;
}

export const isKnownTag = (id: number): boolean => id !== textNode && id <= names.length;

export function tagName(id: number): string {
  return id === textNode ? 'text' : (names[id - 1] ?? 'an element that HTML does not know');
}

/** A lookup table: 1 for each of these tags. */
export function tagSet(...list: TagName[]): Uint8Array {
  const bits = new Uint8Array(maxTags);
  for (const name of list) bits[tag[name]] = 1;
  return bits;
}

export const isVoid = tagSet(
  'area', 'base', 'br', 'col', 'embed', 'frame', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr',
); // biome-ignore format: a list of words

/** Rendered on lines of its own. */
export const isBlock = tagSet(
  'address', 'article', 'aside', 'blockquote', 'body', 'caption', 'center', 'dd', 'details', 'dialog', 'dir', 'div',
  'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option', 'p', 'pre',
  'search', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul', 'xmp',
); // biome-ignore format: a list of words

/** Its start tag ends an open paragraph. */
export const endsParagraph = tagSet(
  'address', 'article', 'aside', 'blockquote', 'center', 'details', 'dialog', 'dir', 'div', 'dl', 'dd', 'dt',
  'fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hgroup', 'hr',
  'li', 'main', 'menu', 'nav', 'ol', 'p', 'pre', 'search', 'section', 'summary', 'table', 'ul', 'xmp',
); // biome-ignore format: a list of words

/** Contain only text, up to their own end tag. */
export const isRawText = tagSet(
  'iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp',
); // biome-ignore format: a list of words

export const isHeading = tagSet('h1', 'h2', 'h3', 'h4', 'h5', 'h6');

/** End tags inside one of these do not close elements outside. */
export const isScope = tagSet('table', 'td', 'th', 'caption', 'button', 'object');

/** Their contents are never text. */
export const isDropped = tagSet(
  'script', 'style', 'noscript', 'template', 'svg', 'iframe', 'noembed', 'noframes', 'canvas', 'audio',
  'video',
); // biome-ignore format: a list of words
