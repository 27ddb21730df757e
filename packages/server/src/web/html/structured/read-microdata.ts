import { cutText } from '../cut-text.ts';
import type { ActionInput, MicrodataItem, MicrodataValue } from '../extracted-page.ts';
import { limits } from '../limits.ts';
import { tag } from '../tape/html-tag.ts';
import { type MicrodataAttributes, plainValued, urlValued } from '../tape/microdata-attributes.ts';
import type { Tape } from '../tape/tape.ts';
import { layoutText } from './layout-text.ts';

/** Items inside items; deeper ones are left out, as JSON's readers and writers recurse. */
const deepestItem = 20;
/** Nodes looked at for one page: properties within properties within properties would be read again and again. */
const maxSteps = 4_000_000;

/** The page's microdata, as the specification and extruct read it. URLs are resolved where they can be. */
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
      // Of a whole item without a name its properties are taken.
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
