/**
 * Where a link leads, as written in the page: not resolved, entities decoded, whitespace trimmed. A slice of the page:
 * who remembers it copies it (own-text.ts).
 */
export interface PageLink {
  readonly href: string;
  readonly nofollow: boolean;
}

export interface PageHeading {
  readonly level: number;
  readonly text: string;
}

export interface RobotsMeta {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export interface MetaRefresh {
  readonly seconds: number;
  readonly url: string;
}

/** OpenGraph as extruct gives it: the prefixes in use, and the properties in the page's order. */
export interface OpenGraph {
  readonly namespace: Readonly<Record<string, string>>;
  readonly properties: readonly (readonly [property: string, content: string])[];
}

/** For itemprop="query-input": what schema.org's actions describe of a form field. */
export interface ActionInput {
  readonly valueRequired?: true;
  readonly valueName?: string;
}

export type MicrodataValue = string | MicrodataItem | ActionInput;

/** An item as the microdata specification's JSON has it; `value` stands for an item without properties. */
export interface MicrodataItem {
  readonly type?: readonly string[];
  readonly id?: string;
  readonly properties?: Readonly<Record<string, readonly MicrodataValue[]>>;
  readonly value?: MicrodataValue;
}

export interface MainContent {
  /** Of the whole page, without what is hidden or to be used instead of read. */
  readonly visibleWords: number;
  readonly markdown: string;
  /** The same content as plain text, one line per block: what a content hash and a search index should read. */
  readonly text: string;
  readonly wordCount: number;
  /** How the content was chosen; `page` means that nothing stood out and everything but the boilerplate was kept. */
  readonly origin: 'marked' | 'scored' | 'page';
  readonly truncated: boolean;
}

export interface ExtractedPage {
  /** What relative references resolve against: the page's URL, or its `<base href>`. */
  readonly base: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  /** Absolute, as `resolve` gave it. */
  readonly canonical: string | null;
  readonly robots: RobotsMeta;
  readonly refresh: MetaRefresh | null;
  readonly links: readonly PageLink[];
  /** Links that are not among them, by reason; undefined when there are none. */
  readonly leftOut: Readonly<Record<string, number>> | undefined;
  readonly headings: readonly PageHeading[];
  readonly openGraph: OpenGraph | null;
  readonly jsonLd: readonly unknown[];
  readonly microdata: readonly MicrodataItem[];
  /** Only when markdown was asked for. */
  readonly content: MainContent | null;
}

/** Why a part of a page is not in its main content. */
export type LeftOutReason =
  | 'hidden'
  | 'to be used, not read'
  | 'a dialog about cookies'
  | 'navigation, by its element or role'
  | 'boilerplate, by its name and what it holds'
  | 'beside the text'
  | 'a form'
  | 'the header of the page'
  | 'only leads away'
  | 'announces links'
  | 'a heading with nothing left below it'
  | 'outside of the main content';

/** A part of the page that is not in its markdown. */
export interface LeftOutPart {
  readonly reason: LeftOutReason;
  readonly tag: string;
  readonly words: number;
  /** How its text begins. */
  readonly text: string;
}

export interface ExtractOptions {
  readonly markdown: boolean;
  /** What becomes markdown: the main content, which is the default, or all that a reader sees of the page. */
  readonly content?: 'main' | 'full' | undefined;
  /** Called with each part that is left out of the content, and why. */
  readonly onLeftOut?: ((part: LeftOutPart) => void) | undefined;
  /** Resolves a reference of the page; null where it leads nowhere. Pass a cached one: `new URL` costs 1 µs a link. */
  readonly resolve?: (href: string, base: string) => string | null;
  /** Our name in robots meta tags, lower case; `robots` always counts. */
  readonly botName?: string;
}
