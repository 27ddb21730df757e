import type { Selectors } from './selectors/selector.ts';

/**
 * A link as written in the page: decoded and trimmed, but not resolved. It is a slice of the page, so copy it to keep it
 * (own-text.ts).
 */
export interface PageLink {
  readonly href: string;
  readonly nofollow: boolean;
}

export interface PageHeading {
  readonly level: number;
  readonly text: string;
}

/** The first of the highest level: main content need not contain it. */
export function headlineOf(headings: readonly PageHeading[]): string | undefined {
  return headings.find(({ level }) => level === 1)?.text;
}

export interface RobotsMeta {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export interface MetaRefresh {
  readonly seconds: number;
  readonly url: string;
}

/** OpenGraph in extruct's form: the prefixes in use, and the properties in page order. */
export interface OpenGraph {
  readonly namespace: Readonly<Record<string, string>>;
  readonly properties: readonly (readonly [property: string, content: string])[];
}

/** For itemprop="query-input": a form field as schema.org's actions describe it. */
export interface ActionInput {
  readonly valueRequired?: true;
  readonly valueName?: string;
}

export type MicrodataValue = string | MicrodataItem | ActionInput;

/** An item in the JSON of the microdata specification; `value` is for an item without properties. */
export interface MicrodataItem {
  readonly type?: readonly string[];
  readonly id?: string;
  readonly properties?: Readonly<Record<string, readonly MicrodataValue[]>>;
  readonly value?: MicrodataValue;
}

export interface MainContent {
  /** Words of the whole page without hidden elements and controls. */
  readonly visibleWords: number;
  readonly markdown: string;
  /** The same content as plain text, one line per block, for content hashes and search indexes. */
  readonly text: string;
  readonly wordCount: number;
  /** The content as HTML without scripts, styles and other attributes; only when it was asked for. */
  readonly html: string | undefined;
  /** How the content was chosen; `page` means the whole page without boilerplate. */
  readonly origin: 'marked' | 'scored' | 'page';
  readonly truncated: boolean;
}

export interface ExtractedPage {
  /** Base of relative references: the page's URL, or its `<base href>`. */
  readonly base: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  /** Absolute, as resolved by `resolve`. */
  readonly canonical: string | null;
  readonly robots: RobotsMeta;
  readonly refresh: MetaRefresh | null;
  readonly links: readonly PageLink[];
  /** Number of omitted links by reason; undefined if there are none. */
  readonly leftOut: Readonly<Record<string, number>> | undefined;
  readonly headings: readonly PageHeading[];
  readonly openGraph: OpenGraph | null;
  readonly jsonLd: readonly unknown[];
  readonly microdata: readonly MicrodataItem[];
  readonly images: readonly string[] | undefined;
  /** Only when markdown was asked for. */
  readonly content: MainContent | null;
}

/** Why a part of a page is not in its main content. */
export type LeftOutReason =
  | 'hidden'
  | 'a control'
  | 'a cookie dialog'
  | 'navigation by its element or role'
  | 'named as boilerplate, confirmed by its content'
  | 'an aside'
  | 'a form'
  | 'the page header'
  | 'only links'
  | 'introduces links'
  | 'a heading with no content left'
  | 'outside the main content'
  | 'not selected';

/** A part of the page that is not in its markdown. */
export interface LeftOutPart {
  readonly reason: LeftOutReason;
  readonly tag: string;
  readonly words: number;
  /** The beginning of its text. */
  readonly text: string;
}

export interface ExtractOptions {
  readonly markdown: boolean;
  /** What becomes markdown: the main content (the default) or the whole visible page. */
  readonly content?: 'main' | 'full' | undefined;
  /** Parts to keep or to leave out. What is included is kept whole. */
  readonly selectors?: Selectors | undefined;
  /** Collect the URLs of images. */
  readonly imageLinks?: boolean | undefined;
  /** Write the content as HTML too. */
  readonly cleanHtml?: boolean | undefined;
  /** Called with each part that is left out of the content. */
  readonly onLeftOut?: ((part: LeftOutPart) => void) | undefined;
  /** Resolves a reference, or returns null if it is invalid. Pass a cached one: `new URL` costs 1 µs. */
  readonly resolve?: (href: string, base: string) => string | null;
  /** Name of the bot in robots meta tags, in lower case; `robots` always applies. */
  readonly botName?: string;
}
