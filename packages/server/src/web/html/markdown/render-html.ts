import { escapeAttribute, escapeText } from 'entities';
import { limits } from '../limits.ts';
import { decodeText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isKnownTag, isVoid, tag, tagName, tagSet, textNode } from '../tape/html-tag.ts';
import type { NodeDetails, Tape } from '../tape/tape.ts';

/** Their text stays, their tags go. */
const transparent = tagSet(
  'html',
  'head',
  'body',
  'meta',
  'link',
  'base',
  'input',
  'font',
  'center',
  'label',
  'form',
  'object',
  'script',
);

/** The content as HTML of elements and texts alone: no scripts, styles, classes or handlers. Links are absolute. */
export function renderHtml(tape: Tape, root: number, resolve: (href: string) => string | null): string {
  const { tags, ends, hints, details, size, html } = tape;
  const open: { readonly end: number; readonly name: string }[] = [];
  const parts: string[] = [];
  let length = 0;
  const write = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  const closeUntil = (node: number) => {
    for (let last = open.at(-1); last && last.end <= node; last = open.at(-1)) {
      open.pop();
      write(`</${last.name}>`);
    }
  };
  const end = root < 0 ? size : (ends[root] as number);
  for (let node = Math.max(root, 0); node < end && length < limits.markdownLength; node++) {
    closeUntil(node);
    const id = tags[node] as number;
    if (id === textNode) {
      write(escapeText(decodeText(html.slice(tape.starts[node], tape.stops[node]))));
      continue;
    }
    if (((hints[node] as number) & hint.gone) !== 0) {
      node = (ends[node] as number) - 1;
      continue;
    }
    if (!isKnownTag(id) || transparent[id] === 1) continue;
    const name = tagName(id);
    write(`<${name}${attributesOf(id, details.get(node), resolve)}>`);
    if (isVoid[id] !== 1) open.push({ end: ends[node] as number, name });
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return parts.join('').trim();
}

function attributesOf(
  id: number,
  details: NodeDetails | undefined,
  resolve: (href: string) => string | null,
): string {
  if (!details) return '';
  const said: Record<string, string | null | undefined> = {
    href: id === tag.a && details.href ? resolve(details.href) : undefined,
    src: id === tag.img && details.src ? resolve(details.src) : undefined,
    alt: details.alt,
    colspan: spanOf(details.colspan),
    rowspan: spanOf(details.rowspan),
    start: spanOf(details.start),
  };
  let text = '';
  for (const [name, value] of Object.entries(said))
    if (value !== undefined && value !== null) text += ` ${name}="${escapeAttribute(value)}"`;
  return text;
}

const spanOf = (count: number | undefined) =>
  count === undefined || count === 1 ? undefined : String(count);
