import { decodeText } from '../../web/html/page-text.ts';
import { tag } from '../../web/html/tape/html-tag.ts';
import { readTokens, type TokenReader } from '../../web/html/tape/read-tokens.ts';
import { withoutDate } from '../../web/traps/date-in-url.ts';
import { type ContentProof, thinWords } from '../../web/traps/trap-detector.ts';
import {
  groupOf,
  isTokenName,
  partsOf,
  signsOf,
  type TrapSign,
  type UrlParts,
} from '../../web/traps/trap-signs.ts';
import { fingerprint } from '../../web/urls/hashes.ts';

/** Words, numbers and symbols: a cross may be all that tells two tables apart. */
const wordPattern = /\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu;
/** Attributes that a reader can see. Classes of `i` are icons. */
const shows =
  /^(?:src|srcset|poster|data|alt|title|label|aria-label|style|d|points|content|xlink:href|data-.*)$/;
const mediaTags: ReadonlySet<number> = new Set([
  tag.img,
  tag.source,
  tag.iframe,
  tag.frame,
  tag.embed,
  tag.object,
]);
const maxLeads = 16;
const maxAdded = 1_000;

/**
 * Fingerprints a page whose URL may be part of a trap; undefined for others. The whole page counts, lists and menus too: main text
 * leaves out the cards of a catalogue, which may be the only difference between its pages.
 */
export function proveContent(
  url: string,
  html: string,
  wordCount: number | null,
  resolve: (href: string) => string | null,
  today = new Date(),
): ContentProof | undefined {
  const parts = partsOf(url);
  const signs = signsOf(parts, today);
  if (signs.length === 0 && parts.pieces.length < 2) return undefined;
  const links = new SortedLinks(parts, signs, today);
  const shown = new ShownReader(html, parts, (href) => {
    const link = resolve(href);
    return link !== null && links.add(link);
  });
  readTokens(html, shown);
  const plain = links.plain();
  const { exact, undated } = shown;
  const isEmpty = shown.words < 2;
  return {
    exact: isEmpty ? null : exact ^ plain,
    undated: isEmpty || parts.date === null ? null : undated ^ plain,
    queries: together(links.queries),
    added: [...links.added].slice(0, maxAdded),
    leads: [...links.leads].map(([group, found]) => [group, together(found)] as const),
    isThin: (wordCount ?? 0) < thinWords,
  };
}

const together = (texts: ReadonlySet<string>): number => fingerprint([...texts].sort().join('\n'));

/** Separates the links of a page that are content from those that its trap makes up. */
class SortedLinks {
  readonly #others = new Set<string>();
  readonly queries = new Set<string>();
  readonly added = new Set<number>();
  readonly leads = new Map<string, Set<string>>();
  readonly #parts: UrlParts;
  readonly #own: ReadonlySet<string>;
  readonly #reasons: ReadonlySet<string>;
  readonly #pairs: ReadonlySet<string>;
  readonly #today: Date;
  readonly #known = new Map<string, boolean>();

  constructor(parts: UrlParts, signs: readonly TrapSign[], today: Date) {
    this.#parts = parts;
    this.#today = today;
    this.#pairs = new Set(parts.pieces);
    this.#reasons = new Set(signs.map(({ reason }) => reason));
    const own = signs.map(groupOf);
    if (parts.date?.coarser) own.push(groupOf({ reason: 'trap_calendar', key: parts.date.coarser }));
    this.#own = new Set(own);
  }

  plain(): number {
    return together(this.#others);
  }

  /** Whether the link belongs to the page's own trap. */
  add(link: string): boolean {
    const known = this.#known.get(link);
    if (known !== undefined) return known;
    const isOwn = this.#sort(link);
    this.#known.set(link, isOwn);
    return isOwn;
  }

  #sort(link: string): boolean {
    const parts = partsOf(link);
    const signs = signsOf(parts, this.#today);
    if (signs.some((sign) => this.#own.has(groupOf(sign)))) return true;
    const lead = signs.find(({ reason, isSuspect }) => isSuspect && this.#reasons.has(reason));
    const token = signs.find(({ reason }) => reason === 'trap_session_ids');
    if (lead && (this.leads.size < maxLeads || this.leads.has(groupOf(lead)))) {
      const found = this.leads.get(groupOf(lead)) ?? new Set();
      this.leads.set(groupOf(lead), found.add(link));
    } else if (lead ?? token) this.#others.add((lead ?? token)?.key as string);
    else if (parts.pieces.length > 0 && parts.document === this.#parts.document) {
      this.queries.add(link);
      for (const piece of parts.pieces) if (!this.#pairs.has(piece)) this.added.add(fingerprint(piece));
    } else this.#others.add(link);
    return false;
  }
}

/** Fingerprints what a page shows, in order. */
class ShownReader implements TokenReader {
  exact = 0x811c9dc5;
  undated = 0x811c9dc5;
  words = 0;
  readonly #html: string;
  readonly #isOwn: (href: string) => boolean;
  readonly #undate: ((word: string) => string) | null;
  #tag = 0;
  #name = '';
  #isJson = false;
  #isHidden = false;
  /** Inside a link of the trap, whose numbers add nothing to its URL. */
  #inOwn = false;

  constructor(html: string, { date }: UrlParts, isOwn: (href: string) => boolean) {
    this.#html = html;
    this.#isOwn = isOwn;
    this.#undate = date && withoutDate(date);
  }

  openTag(id: number): boolean {
    this.#tag = id;
    this.#isJson = false;
    return id !== tag.style;
  }

  attributeName(start: number, end: number): void {
    this.#name = this.#html.slice(start, Math.min(end, start + 64)).toLowerCase();
  }

  attributeValue(start: number, end: number): void {
    const name = this.#name;
    const value = () => decodeText(this.#html.slice(start, end)).trim();
    if (this.#tag === tag.script) {
      if (name === 'type') this.#isJson = /json/i.test(value());
    } else if (name === 'href' && (this.#tag === tag.a || this.#tag === tag.area)) {
      this.#inOwn = this.#isOwn(value());
    } else if (name === 'src' && mediaTags.has(this.#tag)) this.#say(mediaName(value()));
    else if (name === 'class' && this.#tag === tag.i) this.#say(value());
    else if (shows.test(name) && this.#tag !== tag.meta && !isTokenName(name)) this.#say(value());
  }

  openTagEnd(): void {
    const id = this.#tag;
    this.#isHidden = id === tag.style || (id === tag.script && !this.#isJson);
    // A row with an empty cell differs from one without it.
    if (id === tag.td || id === tag.th || id === tag.img) this.#mix('|', '|');
  }

  closeTag(id: number): void {
    this.#isHidden = false;
    if (id === tag.a) this.#inOwn = false;
  }

  text(start: number, end: number): void {
    if (!this.#isHidden) this.#say(this.#html.slice(start, end));
  }

  #say(text: string): void {
    for (const [word] of text.toLowerCase().matchAll(wordPattern)) {
      this.words++;
      const undated = this.#undate?.(word) ?? '';
      this.#mix(word, this.#inOwn && /^\p{N}/u.test(undated) ? '#' : undated);
    }
  }

  #mix(word: string, undated: string): void {
    this.exact = mixed(this.exact, word);
    if (undated !== '') this.undated = mixed(this.undated, undated);
  }
}

const mixed = (hash: number, word: string): number => Math.imul(hash ^ fingerprint(word), 0x01000193);

/** Tracking pixels have a token in their URL, and are the same on every page. */
function mediaName(src: string): string {
  const query = src.indexOf('?');
  if (query === -1) return src;
  const pieces = src.slice(query + 1).split('&');
  return `${src.slice(0, query)}?${pieces.filter((piece) => !isTokenName(piece.split('=', 1)[0] ?? '')).join('&')}`;
}
