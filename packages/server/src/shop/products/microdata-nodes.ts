import type { MicrodataItem, MicrodataValue } from '../../web/html/extracted-page.ts';
import type { LinkedNode } from './linked-data.ts';

/** Microdata in the shape of JSON-LD: the vocabulary is the same, so one reader serves both. */
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
