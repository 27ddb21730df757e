import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { extractPage } from '../../packages/server/src/web/html/extract-page.ts';
import type { ExtractedPage } from '../../packages/server/src/web/html/extracted-page.ts';
import type { ConformanceSet } from './conformance-set.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Item = { [key: string]: Json };

/** The addresses that extruct's own tests give these pages; the others have none, and keep their URLs as written. */
const addresses: Readonly<Record<string, string>> = {
  'microdata.7.1': 'http://blog.example.com/progress-report',
  'microdata.object': 'http://www.example.com/microdata/test.html',
  product_custom_url: 'http://some-example.com/',
};

/** JSON-LD, microdata and OpenGraph equal what extruct expects; pages of other syntaxes are read without an error. */
export const structuredData: ConformanceSet = {
  name: 'structured-data',
  async run(folder) {
    const root = join(folder, 'structured-data');
    const files = (await readdir(root, { recursive: true })).sort();
    const pages = files.filter((file) => extname(file) === '.html');
    const expectations = files.filter((file) => extname(file) === '.json' || extname(file) === '.jsonld');
    const misses: string[] = [];
    for (const file of expectations) {
      const page = pages.find((candidate) => pageStem(candidate) === pageStem(file));
      if (page === undefined) {
        misses.push(`${file}: its page is missing`);
        continue;
      }
      const expected: Json = JSON.parse(await readFile(join(root, file), 'utf8'));
      const found = extractPage(await readFile(join(root, page), 'utf8'), addressOf(file), {
        markdown: true,
      });
      for (const [syntax, want, have] of compared(file, expected, JSON.parse(JSON.stringify(found))))
        if (!isDeepStrictEqual(want, have)) {
          misses.push(
            `${file}: ${syntax}\n  expected ${JSON.stringify(want)}\n  found    ${JSON.stringify(have)}`,
          );
          break;
        }
    }
    const alone = pages.filter((page) => !expectations.some((file) => pageStem(file) === pageStem(page)));
    for (const page of alone) extractPage(await readFile(join(root, page), 'utf8'), '', { markdown: true });
    const total = expectations.length + alone.length;
    return { passed: total - misses.length, total, misses };
  },
};

/** Several files may expect the same page in different presentations. */
function pageStem(file: string): string {
  const stem = basename(file, extname(file)).replace(
    /[._](?:flat|withtext|with_node_id|custom_url|and_node_id|expanded)(?=[._]|$)/g,
    '',
  );
  return join(dirname(file), stem);
}

function addressOf(file: string): string {
  const stem = basename(file, extname(file));
  return Object.entries(addresses).find(([name]) => stem.startsWith(name))?.[1] ?? '';
}

function* compared(
  file: string,
  expected: Json,
  found: ExtractedPage,
): Generator<[syntax: string, want: Json, have: Json]> {
  const jsonLd = found.jsonLd as Json;
  const microdata = found.microdata as unknown as Json;
  const openGraph = (found.openGraph === null ? [] : [found.openGraph]) as unknown as Json;
  if (extname(file) === '.jsonld')
    yield ['JSON-LD', isItem(expected) ? listOf(expected.items ?? []).flat() : expected, jsonLd];
  else if (isItem(expected)) {
    if (expected['json-ld'] !== undefined) yield ['JSON-LD', expected['json-ld'], jsonLd];
    if (expected.opengraph !== undefined) yield ['OpenGraph', ownOpenGraph(expected.opengraph), openGraph];
  } else if (hasOpenGraph(expected))
    yield ['OpenGraph', ownOpenGraph(expected), isFlat(expected) ? sorted(openGraph) : openGraph];
  else if (found.microdata.length > 0)
    yield ['microdata', items(expected).map((item) => inFull(item)), microdata];
}

function isItem(value: Json | undefined): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function items(value: Json): Item[] {
  const list = Array.isArray(value) ? value.filter(isItem) : [];
  return list.some((item) => item.iid !== undefined) ? unflatten(list) : list;
}

/** Items that refer to each other by number become items in items. */
function unflatten(list: Item[]): Item[] {
  const referred = new Set<Json>();
  const expand = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(expand);
    if (!isItem(value)) return value;
    if (value.iid_ref === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expand(part)]));
    referred.add(value.iid_ref);
    return expand(list.find((item) => item.iid === value.iid_ref) ?? null);
  };
  const expanded = list.map((item) => expand(item) as Item);
  return expanded.filter((item) => !referred.has(item.iid ?? null));
}

/** Ours always lists types and values; extruct leaves a list of one out, and may add the text and the node's id. */
function inFull(item: Item): Item {
  const { type, id, properties, value } = item;
  const values = isItem(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([name, given]) => [name, listOf(given).map(valueInFull)]),
      )
    : undefined;
  return {
    ...(type !== undefined && { type: listOf(type) }),
    ...(id !== undefined && { id }),
    ...(values !== undefined && { properties: values }),
    ...(value !== undefined && { value }),
  };
}

function valueInFull(value: Json): Json {
  return isItem(value) &&
    (value.properties !== undefined || value.type !== undefined || value.value !== undefined)
    ? inFull(value)
    : value;
}

function listOf(value: Json): Json[] {
  return Array.isArray(value) ? value : [value];
}

function hasOpenGraph(expected: Json): boolean {
  return items(expected).some((item) => item.namespace !== undefined || item['og:title'] !== undefined);
}

function isFlat(expected: Json): boolean {
  return items(expected).some((item) => item.namespace === undefined);
}

/** The flat presentation back in the page's terms; its order is its own. */
function ownOpenGraph(expected: Json): Json {
  if (!isFlat(expected)) return expected;
  return sorted(
    items(expected).map(({ '@context': namespace, '@type': type, ...rest }) => ({
      namespace: namespace ?? null,
      properties: Object.entries({ 'og:type': type ?? null, ...rest }),
    })),
  );
}

function sorted(objects: Json): Json {
  const byName = (a: Json, b: Json) => (String(a) < String(b) ? -1 : 1);
  return items(objects).map((item) => ({
    ...item,
    properties: listOf(item.properties ?? []).toSorted(byName),
  }));
}
