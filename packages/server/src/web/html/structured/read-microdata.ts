import type { ActionInput, MicrodataItem, MicrodataValue } from '../extracted-page.ts';
import { limits } from '../limits.ts';
import { collapseSpace, cutText, decodeText } from '../page-text.ts';
import { isBlock, isHeading, tag, tagSet, textNode } from '../tape/html-tag.ts';
import { type MicrodataAttributes, plainValued, urlValued } from '../tape/microdata-attributes.ts';
import type { Tape } from '../tape/tape.ts';

/** Depth of nested items. Deeper ones are left out, because JSON parsers and writers recurse. */
const deepestItem = 20;
/** Nodes visited per page, because nested properties are read once per level. */
const maxSteps = 4_000_000;

/** The page's microdata as the specification and extruct read it, with resolved URLs. */
export function readMicrodata(tape: Tape, resolve: (href: string) => string | null): MicrodataItem[] {
  return new MicrodataReader(tape, resolve).read();
}

class MicrodataReader {
  readonly #tape: Tape;
  readonly #resolve: (href: string) => string | null;
  readonly #seen = new Set<number>();
  readonly #byId = new Map<string, number>();
  #steps = 0;
  #properties = 0;
  #textLeft: number = limits.microdataTotal;

  constructor(tape: Tape, resolve: (href: string) => string | null) {
    this.#tape = tape;
    this.#resolve = resolve;
    for (const [node, { microdata }] of tape.details)
      if (microdata?.domId !== undefined && !this.#byId.has(microdata.domId))
        this.#byId.set(microdata.domId, node);
  }

  read(): MicrodataItem[] {
    const items: MicrodataItem[] = [];
    for (const [node, { microdata }] of this.#tape.details) {
      if (!microdata?.scope || items.length >= limits.microdataItems) continue;
      const item = this.#item(node, microdata, 0);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  #item(node: number, attributes: MicrodataAttributes, depth: number): MicrodataItem | undefined {
    if (this.#seen.has(node) || depth > deepestItem) return undefined;
    this.#seen.add(node);
    const type = words(attributes.type);
    const properties = this.#propertiesOf(node, attributes, depth);
    const id = type.length > 0 ? attributes.itemId?.trim() : undefined;
    return {
      ...(type.length > 0 && { type }),
      ...(id && { id }),
      ...(properties ? { properties } : { value: this.#value(node, attributes) }),
    };
  }

  #propertiesOf(
    node: number,
    attributes: MicrodataAttributes,
    depth: number,
  ): Record<string, MicrodataValue[]> | null {
    const values = new Map<string, MicrodataValue[]>();
    this.#collect(node + 1, this.#tape.ends[node] as number, depth, values);
    for (const id of words(attributes.refs)) {
      const target = this.#byId.get(id);
      if (target === undefined) continue;
      const referred = this.#tape.details.get(target)?.microdata;
      // A referenced item without a name contributes its properties.
      const start = referred?.scope && referred.props === undefined ? target + 1 : target;
      this.#collect(start, this.#tape.ends[target] as number, depth, values);
    }
    return values.size === 0 ? null : Object.fromEntries(values);
  }

  #collect(from: number, end: number, depth: number, values: Map<string, MicrodataValue[]>): void {
    const { details, ends } = this.#tape;
    for (let node = from; node < end; node++) {
      if (++this.#steps > maxSteps || this.#properties > limits.microdataProperties) return;
      const microdata = details.get(node)?.microdata;
      if (microdata === undefined) continue;
      if (microdata.props !== undefined) {
        this.#properties++;
        const value = microdata.scope ? this.#item(node, microdata, depth + 1) : this.#value(node, microdata);
        if (value !== undefined) for (const name of words(microdata.props)) add(values, name, value);
      }
      if (microdata.scope) node = (ends[node] as number) - 1;
    }
  }

  #value(node: number, attributes: MicrodataAttributes): MicrodataValue {
    const id = this.#tape.tags[node] as number;
    if (urlValued.has(id)) return this.#url(attributes.value || attributes.content || '');
    if (plainValued.has(id) && (attributes.value !== undefined || id !== tag.time))
      return attributes.value ?? '';
    if (attributes.content) return attributes.content;
    if (attributes.props !== undefined && /-(?:input|output)$/.test(attributes.props))
      return actionInput(attributes);
    this.#steps += (this.#tape.ends[node] as number) - node;
    if (this.#steps > maxSteps || this.#textLeft <= 0) return '';
    const text = cutText(layoutText(this.#tape, node, limits.microdataText), limits.microdataText);
    this.#textLeft -= text.length;
    return text;
  }

  #url(written: string): string {
    const href = written.trim();
    return href === '' ? '' : (this.#resolve(href) ?? href);
  }
}

function words(text: string | undefined): string[] {
  return text?.split(/\s+/).filter((word) => word !== '') ?? [];
}

function add(values: Map<string, MicrodataValue[]>, name: string, value: MicrodataValue): void {
  const known = values.get(name);
  if (known === undefined) values.set(name, [value]);
  else known.push(value);
}

/** https://schema.org/docs/actions.html#part-4 */
function actionInput({ required, name }: MicrodataAttributes): ActionInput {
  return { ...(required && { valueRequired: true as const }), ...(name && { valueName: name }) };
}

const setApart = tagSet('blockquote', 'dl', 'figure', 'ol', 'p', 'pre', 'title', 'ul');

/** Characters of the page per character of text, as character references and white space shrink. */
const rawPerChar = 8;

/**
 * The text of an element in extruct's layout: one newline around blocks, an empty line around paragraphs, and a space between
 * inline elements unless punctuation follows. Stops at `limit` characters.
 */
function layoutText(tape: Tape, node: number, limit: number): string {
  const { tags, ends, html, starts, stops } = tape;
  const open: number[] = [];
  let out = '';
  // Remembered, because reading the end of a growing string copies it.
  let opensBracket = false;
  let newlines = 2;
  const breakLine = (id: number) => {
    const wanted = isHeading[id] === 1 || setApart[id] === 1 ? 2 : isBlock[id] === 1 || id === tag.br ? 1 : 0;
    if (wanted > newlines) {
      out += '\n'.repeat(wanted - newlines);
      newlines = wanted;
    }
  };
  for (let at = node; at < (ends[node] as number) && out.length < limit; at++) {
    while (open.length > 0 && (ends[open.at(-1) as number] as number) <= at)
      breakLine(tags[open.pop() as number] as number);
    const id = tags[at] as number;
    if (id !== textNode) {
      breakLine(id);
      open.push(at);
      continue;
    }
    const start = starts[at] as number;
    const stop = Math.min(stops[at] as number, start + rawPerChar * limit);
    const text = collapseSpace(decodeText(html.slice(start, stop)));
    if (text === '') continue;
    if (newlines === 0 && !/^[,:;.!?")]/.test(text) && !opensBracket) out += ' ';
    out += text;
    opensBracket = text.endsWith('(');
    newlines = 0;
  }
  return out.trim();
}
