import { tag } from '../../web/html/tape/html-tag.ts';
import { attribute, type TagAttributes } from '../../web/html/tape/tag-attributes.ts';
import type { Tape } from '../../web/html/tape/tape.ts';
import type { LinkedNode } from './linked-data.ts';
import { textOfNode } from './product-page.ts';

/** What RDFa says on one element. */
export interface RdfaAttributes {
  readonly types: string[] | undefined;
  readonly properties: string[];
  /** A value in an attribute: content, the target of a link, a date. */
  readonly value: string | undefined;
}

const longestText = 2_048;
const deepestItem = 10;
const maxItems = 1_000;

export function rdfaAttributes(id: number, attributes: TagAttributes): RdfaAttributes | undefined {
  const type = attributes.get(attribute.typeof);
  // On links and metadata of the page `rel` is no statement about a product.
  const rel = id === tag.a || id === tag.link ? undefined : attributes.get(attribute.rel);
  const property = attributes.get(attribute.property) ?? rel;
  if (type === undefined && property === undefined) return undefined;
  const target =
    attributes.get(attribute.resource) ?? attributes.get(attribute.href) ?? attributes.get(attribute.src);
  return {
    types: type === undefined ? undefined : localNames(type),
    properties: localNames(property),
    value: attributes.get(attribute.content) ?? target ?? attributes.get(attribute.datetime),
  };
}

/** RDFa items in the shape of JSON-LD: the vocabulary is the same, so one reader serves both. */
export function rdfaNodes(tape: Tape, rdfa: ReadonlyMap<number, RdfaAttributes>): LinkedNode[] {
  const stated = [...rdfa.keys()];
  const items: LinkedNode[] = [];
  let at = 0;

  const readItem = (node: number, types: string[], depth: number): LinkedNode => {
    const item: Record<string, unknown[]> = { '@type': types };
    readStatements(tape.ends[node] as number, item, depth);
    return item;
  };

  /** Statements up to a node, in page order. Every element is read once. */
  const readStatements = (end: number, item: Record<string, unknown[]>, depth: number) => {
    while (at < stated.length && (stated[at] as number) < end) {
      const node = stated[at++] as number;
      const { types, properties, value } = rdfa.get(node) as RdfaAttributes;
      if (types !== undefined && depth < deepestItem) {
        const inner = readItem(node, types, depth + 1);
        if (properties.length === 0) items.push(inner);
        for (const name of properties) add(item, name, inner);
        continue;
      }
      const next = stated[at];
      const holdsItem = next !== undefined && next < (tape.ends[node] as number) && rdfa.get(next)?.types;
      if (value === undefined && holdsItem && depth < deepestItem) {
        at++;
        const inner = readItem(next, holdsItem, depth + 1);
        for (const name of properties) add(item, name, inner);
      } else for (const name of properties) add(item, name, value ?? textOfNode(tape, node, longestText));
    }
  };

  readStatements(tape.size, {}, 0);
  return items.slice(0, maxItems);
}

function add(item: Record<string, unknown[]>, name: string, value: unknown): void {
  if (!Object.hasOwn(item, name)) item[name] = [];
  item[name]?.push(value);
}

/** `schema:name` and `http://schema.org/name` are `name`. */
function localNames(names: string | undefined): string[] {
  return (names ?? '')
    .split(/\s+/)
    .map((name) => name.slice(name.search(/[^/#:]*$/)))
    .filter((name) => name !== '');
}
