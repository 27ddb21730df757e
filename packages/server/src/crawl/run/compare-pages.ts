import { createHash } from 'node:crypto';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import { contentOf, type Page, type PageContent, wasHad } from '../../pages/stored/page.ts';
import { followedLinks, storedLines } from '../../pages/stored/page-links.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import { headlineOf, type PageHeading } from '../../web/html/extracted-page.ts';
import { type CanonicalForm, canonicalOptions, canonicalUrl } from '../../web/urls/canonical-url.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import type { UrlRulesVersion } from '../../web/urls/url-rules.ts';
import type { FrontierEntry } from '../frontier/frontier-entry.ts';
import type { ReadBody } from '../reading/read-result.ts';
import type { CrawlContext } from './crawl-context.ts';
import { earlierHashes } from './renamed-pages.ts';

/** Not the status: stored content came with a 200, even if the baseline itself could not fetch the page. */
const metadata = [
  'canonical_url',
  'content_type',
  'content_hash',
  'language',
  'etag',
  'last_modified',
  'title',
  'description',
  'word_count',
  'bytes',
  'structured',
  'rendered',
  'render_reason',
] as const satisfies (keyof Page)[];

interface BaselinePage extends Pick<Page, (typeof metadata)[number]> {
  readonly url_hash: string;
  /** The job that stores its content. */
  readonly content_job: string;
  readonly links: Buffer | null;
  readonly digest: Buffer;
}

const digested = ['links', 'markdown', 'html', 'body'] as const;

const readStatement = statement<BaselinePage>(
  'read-baseline-pages',
  `
SELECT page.url_hash, ${metadata.map((column) => `page.${column}`).join(', ')},
  coalesce(page.content_job, page.job_id) AS content_job, content.links,
  ${digested.map((name) => `coalesce(sha256(content.${name}), '')`).join(' || ')} AS digest
FROM crawl_pages page ${contentOf('page')}
WHERE page.job_id = $1 AND page.url_hash = ANY ($2::uuid[]) AND ${wasHad('page')}`,
);

interface Earlier {
  readonly contentHash: BaselinePage['content_hash'];
  readonly links: readonly string[];
  /** The same page by today's rules. */
  readonly isSame: boolean;
}

type Compared = Partial<Page> & { content?: PageContent };

/** Compares pages with the baseline. Unchanged pages share the baseline's content instead of copying it. */
export class ComparePages {
  readonly #db: Queryable;
  readonly #baseline: string;
  readonly #mayContinue: () => boolean;
  /** The baseline's form of URLs, where its rules differ from this crawl's. */
  readonly #earlierForm: CanonicalForm | undefined;
  readonly #form: CanonicalForm;
  readonly #isWith02: boolean;
  #hashes: Promise<Map<string, string>> | undefined;
  #wanted = new Set<string>();
  #reading: Promise<Map<string, BaselinePage>> | undefined;

  constructor(
    { db, options, urlRules }: Pick<CrawlContext, 'db' | 'options' | 'urlRules'>,
    baseline: string,
    rules: UrlRulesVersion | null,
    mayContinue: () => boolean,
  ) {
    this.#db = db;
    this.#baseline = baseline;
    this.#mayContinue = mayContinue;
    this.#isWith02 = rules === 1;
    this.#form = canonicalOptions(options, urlRules);
    if (rules !== null && rules !== urlRules) this.#earlierForm = canonicalOptions(options, rules);
  }

  /**
   * False if the links were stored under other rules: they may lack parameters that matter now, so every page is
   * fetched again.
   */
  get knowsLinks(): boolean {
    return this.#earlierForm === undefined;
  }

  /** The page after a 304. Undefined if the baseline no longer has it. */
  async unchanged(
    { url_hash }: FrontierEntry,
    { etag, lastModified }: FetchResponse,
  ): Promise<{ readonly page: Compared; readonly links: readonly string[] } | undefined> {
    const before = await this.#read(url_hash);
    if (!before) return undefined;
    const { links, digest, url_hash: _, ...page } = before;
    return {
      page: {
        ...page,
        status: 200,
        etag: etag ?? page.etag ?? null,
        last_modified: lastModified ?? page.last_modified ?? null,
        change: 'unchanged',
      },
      links: linksOf(before),
    };
  }

  /** The hash of the page in the baseline; null where the baseline may have it under another URL. */
  hashOf({ before }: FrontierEntry): string | null | undefined {
    return before ? before.contentHash : this.#isWith02 ? null : undefined;
  }

  /** The page after a 200: it changed if what a reader sees changed (ADR 27). */
  async compared(entry: FrontierEntry, { page, earlierHashes }: ReadBody): Promise<Compared> {
    const { url_hash, before } = entry;
    const isKnown = (hash: string | null | undefined) =>
      hash != null && (hash === page.content_hash || earlierHashes?.includes(hash) === true);
    if (!before) {
      const earlier = await this.earlier(entry);
      if (isKnown(earlier?.contentHash)) return { ...page, change: 'unchanged' };
      return { ...page, change: earlier?.isSame ? 'changed' : 'new' };
    }
    if (!isKnown(before.contentHash)) return { ...page, change: 'changed' };
    const stored = await this.#read(url_hash);
    if (stored && before.contentHash !== page.content_hash && !hasSameHeading(page, stored))
      return { ...page, change: 'changed' };
    const { content, ...rest } = page;
    if (!stored || !digestOf(content).equals(stored.digest)) return { ...page, change: 'unchanged' };
    return { ...rest, content_job: stored.content_job, change: 'unchanged' };
  }

  /**
   * The baseline's version of a page that cannot be fetched: its links are followed, so that the pages behind it are
   * not reported as gone.
   */
  async kept({
    url_hash,
  }: FrontierEntry): Promise<{ readonly page: Compared; readonly links: readonly string[] }> {
    const before = await this.#read(url_hash);
    if (!before) return { page: {}, links: [] };
    const { links, digest, url_hash: _, ...page } = before;
    return { page, links: linksOf(before) };
  }

  /** For a baseline with other rules: the page under its other URL, or the page that this one was merged with. */
  async earlier({ url, url_hash }: FrontierEntry): Promise<Earlier | undefined> {
    const form = this.#earlierForm;
    if (!form) return undefined;
    this.#hashes ??= retryTransient(this.#mayContinue, () =>
      earlierHashes(this.#db, this.#baseline, this.#form),
    );
    const sameHash = (await this.#hashes).get(url_hash);
    const same = sameHash && (await this.#read(sameHash));
    if (same) return { contentHash: same.content_hash, links: linksOf(same), isSame: true };
    const stored = canonicalUrl(url, undefined, form);
    const storedHash = stored && urlHash(form.rules.identity(stored));
    const page = storedHash && storedHash !== url_hash ? await this.#read(storedHash) : undefined;
    return page && { contentHash: page.content_hash, links: linksOf(page), isSame: false };
  }

  /** Pages requested in one turn of the event loop are read together. */
  async #read(urlHash: string): Promise<BaselinePage | undefined> {
    this.#wanted.add(urlHash);
    this.#reading ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      const hashes = [...this.#wanted];
      this.#wanted = new Set();
      this.#reading = undefined;
      return this.#readAll(hashes);
    });
    return (await this.#reading).get(urlHash);
  }

  async #readAll(hashes: string[]): Promise<Map<string, BaselinePage>> {
    const rows = await retryTransient(this.#mayContinue, () =>
      run(this.#db, readStatement, [this.#baseline, hashes]),
    );
    return new Map(rows.map((row) => [row.url_hash, row]));
  }
}

/** Earlier versions hashed only the text below the headline, so the stored title and headline are compared separately. */
function hasSameHeading(one: Pick<Compared, 'title' | 'structured'>, other: BaselinePage): boolean {
  return (one.title ?? null) === other.title && storedHeadline(one) === storedHeadline(other);
}

function storedHeadline({ structured }: Pick<Compared, 'structured'>): string | undefined {
  return headlineOf((structured?.headings ?? []) as readonly PageHeading[]);
}

function linksOf({ links }: BaselinePage): string[] {
  return links ? followedLinks(storedLines(links)) : [];
}

function digestOf(content: PageContent): Buffer {
  const digests = digested.map((name) => {
    const part = name === 'body' ? content.kept?.body : content[name];
    return part ? createHash('sha256').update(part).digest() : Buffer.alloc(0);
  });
  return Buffer.concat(digests);
}
