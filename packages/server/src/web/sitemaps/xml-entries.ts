import { isTooLong, listedUrl, type SitemapEntry, type SitemapFormat } from './sitemap-entry.ts';
import { type XmlHandler, xmlAttribute, xmlText } from './xml-scanner.ts';

const formats: ReadonlyMap<string, SitemapFormat> = new Map([
  ['urlset', 'urlset'],
  ['url', 'urlset'],
  ['sitemapindex', 'sitemapindex'],
  ['sitemap', 'sitemapindex'],
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['feed', 'atom'],
]);
const containers: ReadonlyMap<string, readonly SitemapFormat[]> = new Map([
  ['url', ['urlset', 'sitemapindex']],
  ['sitemap', ['urlset', 'sitemapindex']],
  ['item', ['rss']],
  ['entry', ['atom']],
]);
const dates: ReadonlySet<string> = new Set(['lastmod', 'pubdate', 'date', 'updated', 'published']);
const longestField = 8192;
const deepest = 64;

interface Open {
  readonly tag: string;
  readonly prefix: string;
  readonly kind: SitemapEntry['kind'];
  urls: string[];
  guid: string;
  lastModified: string;
  alternates: string[];
  /** Text outside any child element: some sites write `<sitemap>https://…</sitemap>`. */
  text: string;
}

/**
 * Turns tags into entries. Ignores namespaces and case, which are often wrong; `image:loc` and other extensions are recognised by
 * their position.
 */
export class XmlEntries implements XmlHandler {
  format: SitemapFormat = 'unknown';
  /** Whether the document turned out to be something else. */
  isForeign = false;
  found: SitemapEntry[] = [];
  /** The number of URLs that are too long. */
  tooLong = 0;
  #open: Open | null = null;
  /** The root element; '' once it is closed, or if there is none. */
  #root = '';
  /** Tags open inside the entry. */
  #inside: string[] = [];
  #field = '';
  #value = '';

  open(tag: string, attributes: string, isEmpty: boolean): void {
    const [prefix, name] = split(tag);
    if (this.format === 'unknown') {
      this.format = formats.get(name) ?? 'unknown';
      this.isForeign = this.format === 'unknown';
      if (!isEmpty && !containers.has(name)) this.#root = tag;
    }
    if (containers.get(name)?.includes(this.format)) this.#start(tag, prefix, name, isEmpty);
    else if (this.#open) this.#child(this.#open, tag, attributes, isEmpty);
  }

  /** Whether an element is open that a complete document would have closed. */
  get isUnfinished(): boolean {
    return this.#open !== null || this.#root !== '';
  }

  #child(open: Open, tag: string, attributes: string, isEmpty: boolean): void {
    const [prefix, name] = split(tag);
    if (name === 'link' && this.#inside.length === 0) this.#link(open, attributes);
    if (isEmpty) return;
    const isOwn = this.#inside.length === 0 && (prefix === open.prefix || name === 'date');
    if (isOwn) {
      this.#field = name;
      this.#value = '';
    }
    if (this.#inside.length < deepest) this.#inside.push(tag);
  }

  close(tag: string): void {
    if (this.#open?.tag === tag) this.finish();
    if (this.#root !== '' && this.#root.toLowerCase() === tag.toLowerCase()) {
      // Closes entries without an end tag too.
      this.finish();
      this.#root = '';
    }
    // Markup inside a description may lack end tags: they are closed with their parent.
    const at = this.#inside.lastIndexOf(tag);
    if (this.#open === null || at === -1) return;
    this.#inside.length = at;
    if (at > 0 || this.#field === '') return;
    this.#assign(this.#open, this.#field, this.#value.trim());
    this.#field = '';
  }

  text(text: string, isCdata: boolean): void {
    if (this.#open === null) return;
    if (this.#field !== '' && this.#value.length < longestField)
      this.#value += isCdata ? text : xmlText(text.slice(0, longestField));
    else if (this.#inside.length === 0 && this.#open.text.length < longestField)
      this.#open.text += xmlText(text.slice(0, longestField));
  }

  /** Closes the open entry: at its end tag, or at the next entry or the end of the file if that is missing. */
  finish(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    if (open.urls.length === 0) {
      const url = listedUrl(open.guid) ?? listedUrl(open.text);
      if (url !== null) open.urls.push(url);
    }
    // Several <loc> are several entries; several links of a feed item belong to one.
    const isFeed = this.format === 'rss' || this.format === 'atom';
    const [first, ...others] = open.urls;
    for (const url of isFeed && first !== undefined ? [first] : open.urls)
      this.found.push({
        kind: open.kind,
        url,
        ...(open.lastModified && { lastModified: open.lastModified }),
        ...alternatesOf([...open.alternates, ...(isFeed ? others : [])]),
      });
  }

  #start(tag: string, prefix: string, name: string, isEmpty: boolean): void {
    this.finish();
    this.#inside = [];
    this.#field = '';
    if (isEmpty) return;
    const kind = name === 'sitemap' ? 'sitemap' : 'page';
    this.#open = { tag, prefix, kind, urls: [], guid: '', lastModified: '', alternates: [], text: '' };
  }

  #link(open: Open, attributes: string): void {
    const url = listedUrl(xmlAttribute(attributes, 'href') ?? '');
    if (url === null) return;
    const rel = xmlAttribute(attributes, 'rel') ?? 'alternate';
    if (rel !== 'alternate') return;
    if (this.format === 'atom') open.urls.push(url);
    else open.alternates.push(url);
  }

  #assign(open: Open, field: string, value: string): void {
    const isFeed = this.format === 'rss' || this.format === 'atom';
    if (field === (isFeed ? 'link' : 'loc')) {
      const url = listedUrl(value);
      if (url !== null) open.urls.push(url);
      else if (isTooLong(value)) this.tooLong++;
    } else if (field === 'guid') open.guid = value;
    else if (dates.has(field) && (open.lastModified === '' || field === 'updated')) open.lastModified = value;
  }
}

function split(tag: string): [prefix: string, name: string] {
  const colon = tag.indexOf(':');
  return colon === -1 ? ['', tag.toLowerCase()] : [tag.slice(0, colon), tag.slice(colon + 1).toLowerCase()];
}

const alternatesOf = (urls: string[]) => (urls.length > 0 ? { alternates: urls } : {});
