import { ownText } from '../urls/own-text.ts';
import { collapseSpace } from './collapse-space.ts';
import { cutText } from './cut-text.ts';
import type { MetaRefresh, RobotsMeta } from './extracted-page.ts';
import { limits } from './limits.ts';
import { OpenGraphReader } from './structured/open-graph-reader.ts';
import { attribute } from './tape/attribute.ts';
import type { TagAttributes } from './tape/tag-attributes.ts';

/** What a page says about itself in its html, meta, link and base elements. The first word counts. */
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

  /** A refresh leads on to another page, as a link does: the caller gets where to. */
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
    else if (name?.startsWith('og:')) this.openGraph.remember(name, content);
    if (equivalent === 'content-language') this.#contentLanguage ??= content;
    // In <noscript> it is nearly always the way to a page that asks for JavaScript.
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
