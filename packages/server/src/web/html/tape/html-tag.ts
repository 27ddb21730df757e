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

/** Tags are small numbers, so that the reading of a page compares no strings. 0 is a run of text. */
export const tag = Object.freeze(
  Object.fromEntries(names.map((name, index) => [name, index + 1])),
) as Readonly<Record<TagName, number>>;

export const textNode = 0;
/** Elements of names that HTML does not know get numbers of their own, so that their ends match, up to this many. */
export const maxTags = 4_096;

const ids = new Map<string, number>(names.map((name, index) => [name, index + 1]));

/** The tags by a hash of their names, and those names again, so that most tags are known without a string made of them. */
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
  // Concatenation makes a string of its own: a slice would keep the whole page alive in this table.
  ids.set(` ${name}`.slice(1), ids.size + 1);
  return ids.size;
}

export function tagName(id: number): string {
  return id === textNode ? 'text' : (names[id - 1] ?? 'an element that HTML does not know');
}

/** A table that says of every tag whether it is one of these. */
export function tagSet(...list: TagName[]): Uint8Array {
  const bits = new Uint8Array(maxTags);
  for (const name of list) bits[tag[name]] = 1;
  return bits;
}

export const isVoid = tagSet(
  'area', 'base', 'br', 'col', 'embed', 'frame', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr',
); // biome-ignore format: a list of words

/** Starts and ends a line of its own. */
export const isBlock = tagSet(
  'address', 'article', 'aside', 'blockquote', 'body', 'caption', 'center', 'dd', 'details', 'dialog', 'dir', 'div',
  'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option', 'p', 'pre',
  'search', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul', 'xmp',
); // biome-ignore format: a list of words

/** Ends an open paragraph when it starts. */
export const endsParagraph = tagSet(
  'address', 'article', 'aside', 'blockquote', 'center', 'details', 'dialog', 'dir', 'div', 'dl', 'dd', 'dt',
  'fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hgroup', 'hr',
  'li', 'main', 'menu', 'nav', 'ol', 'p', 'pre', 'search', 'section', 'summary', 'table', 'ul', 'xmp',
); // biome-ignore format: a list of words

/** What they contain is text up to their own end tag. */
export const isRawText = tagSet(
  'iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp',
); // biome-ignore format: a list of words

export const isHeading = tagSet('h1', 'h2', 'h3', 'h4', 'h5', 'h6');

/** An end tag inside one of these never closes an element outside of it. */
export const isScope = tagSet('table', 'td', 'th', 'caption', 'button', 'object');

/** What these contain is never read as text. */
export const isDropped = tagSet(
  'script', 'style', 'noscript', 'template', 'svg', 'iframe', 'noembed', 'noframes', 'canvas', 'audio',
  'video',
); // biome-ignore format: a list of words
