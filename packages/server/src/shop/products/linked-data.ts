import type { MicrodataItem, MicrodataValue } from '../../web/html/extracted-page.ts';
import type { Evidence, ProductSource } from './product.ts';

export type LinkedNode = Readonly<Record<string, unknown>>;

const longestText = 2_048;

export function isNode(value: unknown): value is LinkedNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** The nodes of a property, with `@id` references resolved. */
export function nodesOf(value: unknown, byId: ReadonlyMap<string, LinkedNode>): LinkedNode[] {
  return listOf(value)
    .map((one) => {
      const id =
        typeof one === 'string' ? one : isNode(one) && Object.keys(one).length === 1 ? one['@id'] : undefined;
      return typeof id === 'string' ? (byId.get(id) ?? one) : one;
    })
    .filter(isNode);
}

/** Type names in lower case without their vocabulary: sites write Product, product and schema:Product. */
export function typesOf(node: LinkedNode): string[] {
  return listOf(node['@type'])
    .filter((type) => typeof type === 'string')
    .map((type) => type.slice(type.search(/[^/#:]*$/)).toLowerCase());
}

/** A property's text: the value itself, its `@value`, or the name of its node. */
export function textOf(value: unknown): string | undefined {
  for (const one of listOf(value)) {
    const inner = isNode(one) ? (one['@value'] ?? one.name ?? one.value) : one;
    const text = Array.isArray(inner) ? inner[0] : inner;
    if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'boolean') continue;
    const trimmed = String(text).slice(0, longestText).replace(/\s+/g, ' ').trim();
    if (trimmed !== '') return trimmed;
  }
  return undefined;
}

export function evidenceOf(
  node: LinkedNode,
  names: readonly string[],
  source: ProductSource,
  path: string,
): Evidence | undefined {
  for (const name of names) {
    const text = textOf(node[name]);
    if (text !== undefined) return { source, path: path === '' ? name : `${path}.${name}`, text };
  }
  return undefined;
}

/** Converts microdata to JSON-LD nodes: the vocabulary is the same, so one reader serves both. */
export function microdataNodes(items: readonly MicrodataItem[]): LinkedNode[] {
  return items.map(nodeOf);
}

function nodeOf({ type, id, properties }: MicrodataItem): LinkedNode {
  const values = Object.entries(properties ?? {}).map(([name, list]) => [name, list.map(linkedValue)]);
  return { ...Object.fromEntries(values), '@type': type ?? [], ...(id !== undefined && { '@id': id }) };
}

function linkedValue(value: MicrodataValue): unknown {
  if (typeof value === 'string') return value;
  if (!('properties' in value) && 'value' in value) return value.value;
  return nodeOf(value as MicrodataItem);
}
