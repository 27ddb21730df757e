import { PageReader } from '../../web/html/page-reader.ts';
import { storableText } from '../../web/html/page-text.ts';
import { readMicrodata } from '../../web/html/structured/read-microdata.ts';
import { tag, tagSet, textNode } from '../../web/html/tape/html-tag.ts';
import { attribute, type TagAttributes } from '../../web/html/tape/tag-attributes.ts';
import { Tape } from '../../web/html/tape/tape.ts';
import { TapeWriter } from '../../web/html/tape/tape-writer.ts';
import { nameHint, nameHints } from './name-hints.ts';
import { flag, type ProductPage } from './product-page.ts';
import { type RdfaAttributes, rdfaAttributes, rdfaNodes } from './rdfa-nodes.ts';

const struckTags = tagSet('del', 's', 'strike');
const elsewhereTags = tagSet('nav', 'footer', 'header', 'aside');
const named = [
  attribute.class,
  attribute.id,
  attribute.itemprop,
  attribute['data-testid'],
  attribute['data-test-id'],
  attribute['data-test'],
  attribute['data-qa'],
  attribute['data-hook'],
];
const maxValues = 20_000;

/** Reused for every page, since reading is synchronous. Crawls have a tape of their own. */
const tape = new Tape();
let names = new Int32Array(4_096);
let flags = new Int32Array(4_096);

/** Reads a page in one pass. The result is valid until the next page is read. */
export function readProductPage(source: string, url: string): ProductPage {
  const html = storableText(source);
  const values = new Map<number, string>();
  const labels = new Map<number, string>();
  const rdfa = new Map<number, RdfaAttributes>();
  const hasRdfa = html.includes('typeof=');
  const writer = new TapeWriter(tape, html, true, (node, id, attributes) => {
    if (node >= names.length) grow(node * 2);
    names[node] = namesOf(id, attributes);
    flags[node] = flagsOf(id, attributes);
    const stated = hasRdfa && !attributes.isEmpty ? rdfaAttributes(id, attributes) : undefined;
    if (stated !== undefined) rdfa.set(node, stated);
    if (((names[node] as number) & nameHint.price) !== 0 && labels.size < maxValues)
      labels.set(node, labelOf(attributes));
    const value = attributes.isEmpty ? undefined : spokenValue(id, attributes);
    if (value !== undefined && values.size < maxValues) values.set(node, value);
  });
  const reader = new PageReader(html, writer, undefined, { numbersAsText: true });
  reader.read();
  if (tape.size > names.length) grow(tape.size);
  const { head } = reader;
  const base = (head.baseHref && resolveUrl(head.baseHref, url)) || url;
  const resolve = (href: string) => resolveUrl(href, base);
  return {
    url,
    resolve,
    head,
    title: reader.title ?? null,
    jsonLd: reader.jsonLd,
    microdata: readMicrodata(tape, resolve),
    rdfa: rdfaNodes(tape, rdfa),
    tape,
    names,
    flags,
    values,
    labels,
  };
}

function grow(capacity: number): void {
  const [oldNames, oldFlags] = [names, flags];
  names = new Int32Array(capacity);
  flags = new Int32Array(capacity);
  names.set(oldNames);
  flags.set(oldFlags);
}

/** Ignores html and body, whose names describe the site's theme. */
function namesOf(id: number, attributes: TagAttributes): number {
  if (attributes.isEmpty || id === tag.html || id === tag.body) return 0;
  let hints = 0;
  for (const name of named) {
    const value = attributes.get(name);
    if (value !== undefined) hints |= nameHints(value);
  }
  return hints;
}

function labelOf(attributes: TagAttributes): string {
  const id = attributes.get(attribute.id);
  const first = attributes.get(attribute.class)?.trim().split(/\s+/)[0];
  return (first ? `.${first}` : id ? `#${id}` : '[itemprop]').slice(0, 100);
}

function flagsOf(id: number, attributes: TagAttributes): number {
  let found = struckTags[id] === 1 ? flag.struck : elsewhereTags[id] === 1 ? flag.elsewhere : 0;
  if (id === tag.button) found |= flag.button;
  if (attributes.isEmpty) return found;
  if (attributes.has(attribute.disabled)) found |= flag.disabled;
  const style = attributes.get(attribute.style);
  if (style !== undefined && /line-through/i.test(style)) found |= flag.struck;
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) found |= flag.hidden;
  if (attributes.has(attribute.hidden) || attributes.get(attribute['aria-hidden']) === 'true')
    found |= flag.hidden;
  const role = attributes.get(attribute.role);
  if (role === 'button') found |= flag.button;
  else if (role === 'navigation' || role === 'banner' || role === 'contentinfo') found |= flag.elsewhere;
  if (id === tag.input && /^(?:submit|button|image)$/i.test(attributes.get(attribute.type) ?? ''))
    found |= flag.button;
  if (id === tag.a && leadsElsewhere(attributes.get(attribute.href))) found |= flag.linked;
  return found;
}

function leadsElsewhere(href: string | undefined): boolean {
  return href !== undefined && !/^\s*(?:#|javascript:|$)/i.test(href);
}

function spokenValue(id: number, attributes: TagAttributes): string | undefined {
  if (id === tag.input) return attributes.get(attribute.value);
  return attributes.get(attribute['data-price']) ?? attributes.get(attribute['aria-label']);
}

function resolveUrl(href: string, base: string): string | null {
  try {
    return new URL(href, base).href;
  } catch {
    return null;
  }
}

/** Passes flags down from each element to its descendants, and adds up text lengths towards the root. */
export function spreadFlags({
  tape: { size, tags, parents, chars },
  flags: own,
  names: hinted,
}: ProductPage): void {
  for (let node = 0; node < size; node++) {
    const parent = parents[node] as number;
    const around = parent < 0 ? 0 : (own[parent] as number) & inherited;
    if (tags[node] === textNode) {
      own[node] = around;
      hinted[node] = 0;
      continue;
    }
    let mine = own[node] as number;
    if (((hinted[node] as number) & nameHint.elsewhere) !== 0) mine |= flag.elsewhere;
    // Whatever contains the product's title is not elsewhere, whatever its name.
    if ((mine & flag.aroundTitle) !== 0) mine &= ~flag.elsewhere;
    own[node] = mine | around;
  }
  for (let node = size - 1; node > 0; node--) {
    const parent = parents[node] as number;
    if (parent >= 0) chars[parent] = (chars[parent] as number) + (chars[node] as number);
  }
}

const inherited = flag.struck | flag.hidden | flag.linked | flag.elsewhere | flag.button | flag.disabled;
