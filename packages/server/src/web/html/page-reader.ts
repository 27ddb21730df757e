import { ownText } from '../urls/canonical-links.ts';
import type { PageHeading, PageLink } from './extracted-page.ts';
import { limits } from './limits.ts';
import { PageHead } from './page-head.ts';
import { collapseSpace, cutText, decodeText } from './page-text.ts';
import { type JsonLdOptions, readJsonLd } from './structured/read-json-ld.ts';
import { isHeading, tag, tagSet } from './tape/html-tag.ts';
import { readTokens, type TokenReader } from './tape/read-tokens.ts';
import { attribute, attributeOf, TagAttributes } from './tape/tag-attributes.ts';
import type { TapeWriter } from './tape/tape-writer.ts';

/** Tags whose attributes matter for links and metadata. */
const speaks = tagSet('a', 'area', 'frame', 'iframe', 'meta', 'link', 'base', 'html', 'head', 'script');

/**
 * Reads links and metadata in one pass and feeds the tape, if there is one. Character references are decoded only where a text
 * is used.
 */
export class PageReader implements TokenReader {
  readonly head: PageHead;
  readonly links = new LinkCollector();
  readonly headings: PageHeading[] = [];
  readonly jsonLd: object[] = [];
  title: string | undefined;
  readonly #html: string;
  readonly #tape: TapeWriter | undefined;
  readonly #attributes: TagAttributes;
  readonly #jsonLdOptions: JsonLdOptions;
  #tag = 0;
  #attribute = 0;
  /** The tag that the current text belongs to, or 0. */
  #textOf = 0;
  #text = '';
  #noscript = 0;
  #template = 0;
  #svg = 0;

  constructor(
    html: string,
    tape: TapeWriter | undefined,
    botName: string | undefined,
    options: JsonLdOptions = {},
  ) {
    this.#jsonLdOptions = options;
    this.#html = html;
    this.#tape = tape;
    this.#attributes = new TagAttributes(html);
    this.head = new PageHead(botName);
  }

  read(): void {
    readTokens(this.#html, this);
    this.#endText();
    this.#tape?.end();
  }

  openTag(id: number): boolean {
    this.#tag = id;
    this.#attributes.clear();
    return this.#tape !== undefined || speaks[id] === 1;
  }

  attributeName(start: number, end: number): void {
    this.#attribute = attributeOf(this.#html, start, end);
  }

  attributeValue(start: number, end: number): void {
    if (this.#attribute !== 0) this.#attributes.put(this.#attribute, start, end);
  }

  openTagEnd(selfClosing: boolean): void {
    const id = this.#tag;
    if (speaks[id] === 1) this.#speak(id);
    else if (isHeading[id] === 1) this.#startText(id);
    else if (id === tag.title && this.title === undefined && this.#svg === 0) this.#startText(id);
    else if (id === tag.noscript) this.#noscript++;
    else if (id === tag.template) this.#template++;
    else if (id === tag.svg) this.#svg++;
    this.#tape?.open(id, this.#attributes);
    // `<svg/>` closes itself; on HTML elements the slash has no meaning.
    if (selfClosing && id === tag.svg) this.closeTag(tag.svg);
  }

  text(start: number, end: number): void {
    if (this.#textOf !== 0) this.#addText(start, end);
    this.#tape?.text(start, end);
  }

  closeTag(id: number): void {
    if (this.#textOf !== 0 && (id === this.#textOf || (isHeading[id] === 1 && isHeading[this.#textOf] === 1)))
      this.#endText();
    if (id === tag.noscript) this.#noscript = Math.max(0, this.#noscript - 1);
    else if (id === tag.template) this.#template = Math.max(0, this.#template - 1);
    else if (id === tag.svg) this.#svg = Math.max(0, this.#svg - 1);
    this.#tape?.close(id);
  }

  #speak(id: number): void {
    const attributes = this.#attributes;
    switch (id) {
      case tag.a:
      case tag.area:
        if (this.#template === 0 && attributes.has(attribute.href))
          this.links.add(attributes.get(attribute.href) as string, attributes.get(attribute.rel));
        break;
      case tag.frame:
      case tag.iframe:
        if (this.#template === 0 && attributes.has(attribute.src))
          this.links.add(attributes.get(attribute.src) as string, undefined);
        break;
      case tag.meta: {
        const refresh = this.head.meta(attributes, this.#noscript === 0 && this.#template === 0);
        if (refresh) this.links.add(refresh.url, undefined);
        break;
      }
      case tag.link:
        this.head.link(attributes);
        break;
      case tag.base:
        this.head.baseHref ??= attributes.get(attribute.href)?.trim();
        break;
      case tag.script:
        if (/^\s*application\/ld\+json/i.test(attributes.get(attribute.type) ?? '')) this.#startText(id);
        break;
      default:
        this.head.html(attributes);
    }
  }

  #startText(id: number): void {
    this.#endText();
    this.#textOf = id;
    this.#text = '';
  }

  #addText(start: number, end: number): void {
    const room = this.#textOf === tag.script ? limits.jsonLdLength + 1 : limits.titleLength * 4;
    if (this.#text.length < room) this.#text += this.#html.slice(start, Math.min(end, start + room));
  }

  #endText(): void {
    const id = this.#textOf;
    this.#textOf = 0;
    if (id === 0) return;
    if (id === tag.script) {
      if (this.jsonLd.length < limits.jsonLdBlocks)
        this.jsonLd.push(...readJsonLd(this.#text, this.#jsonLdOptions));
      return;
    }
    const text = ownText(collapseSpace(decodeText(this.#text)));
    if (text === '') return;
    if (id === tag.title) this.title ??= cutText(text, limits.titleLength);
    else if (this.headings.length < limits.headings)
      this.headings.push({ level: id - tag.h1 + 1, text: cutText(text, limits.headingLength) });
  }
}

const neverFetched = /^(?:#(?![!/])|javascript:|mailto:|tel:|data:|sms:|about:|blob:)/i;
const slash = 0x2f;

/** Links of a page as written, without duplicates. A link is followable if one of its occurrences is. */
class LinkCollector {
  readonly #links = new Map<string, { readonly href: string; nofollow: boolean }>();
  #beyondLimit = 0;
  #tooLong = 0;

  add(written: string, rel: string | undefined): void {
    const href = written.trim();
    if (href.charCodeAt(0) !== slash && (href === '' || neverFetched.test(href))) return;
    const nofollow = rel !== undefined && /\bnofollow\b/i.test(rel);
    const known = this.#links.get(href);
    if (known !== undefined) {
      if (!nofollow) known.nofollow = false;
    } else if (href.length > limits.hrefLength) this.#tooLong++;
    else if (this.#links.size >= limits.links) this.#beyondLimit++;
    else this.#links.set(href, { href, nofollow });
  }

  get leftOut(): Record<string, number> | undefined {
    if (this.#beyondLimit + this.#tooLong === 0) return undefined;
    return {
      ...(this.#beyondLimit > 0 && { page_limit: this.#beyondLimit }),
      ...(this.#tooLong > 0 && { unusable_url: this.#tooLong }),
    };
  }

  result(): PageLink[] {
    return [...this.#links.values()];
  }
}
