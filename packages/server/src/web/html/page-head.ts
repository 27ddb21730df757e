import { ownText } from '../urls/canonical-links.ts';
import type { MetaRefresh, OpenGraph, RobotsMeta } from './extracted-page.ts';
import { limits } from './limits.ts';
import { collapseSpace, cutText } from './page-text.ts';
import { attribute, type TagAttributes } from './tape/tag-attributes.ts';

/** Metadata in the html, meta, link and base elements. The first value counts. */
export class PageHead {
  readonly openGraph = new OpenGraphReader();
  baseHref: string | undefined;
  canonical: string | undefined;
  refresh: MetaRefresh | undefined;
  #htmlLanguage: string | undefined;
  #contentLanguage: string | undefined;
  #description: string | undefined;
  #noindex = false;
  #nofollow = false;
  readonly #botName: string | undefined;

  constructor(botName: string | undefined) {
    this.#botName = botName;
  }

  html(attributes: TagAttributes): void {
    const language = attributes.get(attribute.lang) ?? attributes.get(attribute['xml:lang']);
    if (language !== undefined) this.#htmlLanguage ??= ownText(language);
    this.openGraph.prefixes(attributes.get(attribute.prefix));
  }

  link(attributes: TagAttributes): void {
    const rel = attributes.get(attribute.rel);
    if (this.canonical === undefined && rel !== undefined && /(?:^|\s)canonical(?:\s|$)/i.test(rel))
      this.canonical = attributes.get(attribute.href)?.trim() || undefined;
  }

  /** Returns a refresh, because it leads to another page like a link. */
  meta(attributes: TagAttributes, scripted: boolean): MetaRefresh | undefined {
    const written = attributes.get(attribute.content);
    if (written === undefined) return undefined;
    const content = ownText(written);
    const property = attributes.get(attribute.property);
    if (property !== undefined) this.openGraph.add(property, content);
    const name = (attributes.get(attribute.name) ?? property)?.trim().toLowerCase();
    const equivalent = attributes.get(attribute['http-equiv'])?.trim().toLowerCase();
    if (name === 'description') this.#description ??= collapseSpace(content) || undefined;
    else if (name === 'robots' || (name !== undefined && name === this.#botName)) this.#robots(content);
    else if (name !== undefined && /^(?:og|product):/.test(name)) this.openGraph.remember(name, content);
    if (equivalent === 'content-language') this.#contentLanguage ??= content;
    // In <noscript> it nearly always leads to a page that asks for JavaScript.
    else if (equivalent === 'refresh' && scripted && this.refresh === undefined) {
      this.refresh = readRefresh(content);
      return this.refresh;
    }
    return undefined;
  }

  #robots(content: string): void {
    const directives = content.toLowerCase().split(/[\s,]+/);
    if (directives.includes('noindex') || directives.includes('none')) this.#noindex = true;
    if (directives.includes('nofollow') || directives.includes('none')) this.#nofollow = true;
  }

  get robots(): RobotsMeta {
    return { noindex: this.#noindex, nofollow: this.#nofollow };
  }

  get description(): string | null {
    const text = this.#description ?? collapseSpace(this.openGraph.first('og:description') ?? '');
    return cutText(text, limits.descriptionLength) || null;
  }

  get language(): string | null {
    const candidates = [this.#htmlLanguage, this.#contentLanguage, this.openGraph.first('og:locale')];
    for (const candidate of candidates) {
      const language = candidate?.split(',')[0]?.trim().replaceAll('_', '-');
      if (language && /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(language)) return language;
    }
    return null;
  }
}

function readRefresh(content: string): MetaRefresh | undefined {
  const match = /^\s*(\d{1,9})?[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(.*)$/is.exec(content);
  const written = match?.[2]?.trim() ?? '';
  const quote = written[0];
  const end = quote === '"' || quote === "'" ? written.indexOf(quote, 1) : -1;
  const quoted = quote === '"' || quote === "'";
  const url = (quoted ? written.slice(1, end < 0 ? undefined : end) : written).trim();
  return url === '' ? undefined : { seconds: Number(match?.[1] ?? 0), url };
}

const namespaces: ReadonlyMap<string, string> = new Map([
  ['og', 'http://ogp.me/ns#'],
  ['music', 'http://ogp.me/ns/music#'],
  ['video', 'http://ogp.me/ns/video#'],
  ['article', 'http://ogp.me/ns/article#'],
  ['book', 'http://ogp.me/ns/book#'],
  ['profile', 'http://ogp.me/ns/profile#'],
  // Not standardised, but on one in ten product pages.
  ['product', 'http://ogp.me/ns/product#'],
]);

/** Collects `<meta property content>` in OpenGraph's namespaces and those that the page declares. */
export class OpenGraphReader {
  readonly #namespace = new Map<string, string>();
  readonly #properties: [string, string][] = [];
  /** `<meta name="og:…">` is a common mistake: it serves for a description, but is not OpenGraph. */
  readonly #named = new Map<string, string>();

  prefixes(declaration: string | undefined): void {
    for (const [, prefix, uri] of declaration?.matchAll(/(\w+):\s*(\S+)/g) ?? [])
      if (prefix && uri && !this.#namespace.has(prefix)) this.#namespace.set(ownText(prefix), ownText(uri));
  }

  add(property: string, content: string): void {
    if (this.#properties.length >= limits.openGraphProperties) return;
    const prefix = property.slice(0, Math.max(0, property.indexOf(':')));
    const standard = namespaces.get(prefix);
    if (standard !== undefined) this.#namespace.set(prefix, standard);
    if (this.#namespace.has(prefix)) this.#properties.push([ownText(property), content]);
  }

  remember(name: string, content: string): void {
    if (!this.#named.has(name)) this.#named.set(name, content);
  }

  first(property: string): string | undefined {
    return this.#properties.find(([name]) => name === property)?.[1] ?? this.#named.get(property);
  }

  result(): OpenGraph | null {
    if (this.#properties.length === 0) return null;
    return { namespace: Object.fromEntries(this.#namespace), properties: this.#properties };
  }
}
