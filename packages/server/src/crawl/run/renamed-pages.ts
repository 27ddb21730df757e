import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { wasHad } from '../../pages/stored/page.ts';
import { type CanonicalForm, canonicalOptions, canonicalUrl } from '../../web/urls/canonical-url.ts';
import { hashWords, urlHash } from '../../web/urls/hashes.ts';
import { urlRules as rulesOf, type UrlRulesVersion } from '../../web/urls/url-rules.ts';
import type { CrawlContext } from './crawl-context.ts';
import { HashSet } from './known-urls.ts';

const missedStatement = statement<{ url_hash: string; url: string }>(
  'baseline-pages-missed',
  `
SELECT url_hash, url FROM (
  SELECT url_hash, url, outcome, content_job FROM crawl_pages WHERE job_id = $2 AND url_hash > $3 ORDER BY url_hash LIMIT $4
) stretch
WHERE ${wasHad('stretch')} AND NOT EXISTS (
  SELECT FROM crawl_visited visited WHERE visited.job_id = $1 AND visited.url_hash = stretch.url_hash)`,
);

const visitedStatement = statement<{ url_hash: string }>(
  'visited-of-these',
  'SELECT url_hash FROM crawl_visited WHERE job_id = $1 AND url_hash = ANY ($2::uuid[])',
);

/** URL rules differ in parameters only, including those in a path. */
const cuttableStatement = statement<{ url_hash: string; url: string }>(
  'pages-with-parameters',
  `SELECT url_hash, url FROM crawl_pages WHERE job_id = $1 AND url_hash > $2 AND url ~ '[?;(]' ORDER BY url_hash LIMIT $3`,
);

const batch = 10_000;
const nil = '00000000-0000-0000-0000-000000000000';

/**
 * Finds pages that a baseline with other URL rules stored under another URL. No link led to that URL, yet the page is not gone: one
 * version of the rules removed a parameter that the other keeps.
 */
export class RenamedPages {
  readonly #context: CrawlContext;
  readonly #baseline: string;
  readonly #rules: UrlRulesVersion;
  #cut: HashSet | undefined;

  constructor(context: CrawlContext, baseline: string, rules: UrlRulesVersion) {
    this.#context = context;
    this.#baseline = baseline;
    this.#rules = rules;
  }

  /** Renamed pages among the baseline's next `limit` pages after a hash. */
  async among(after: string, limit: number): Promise<string[]> {
    const { db, job } = this.#context;
    const missed = await run(db, missedStatement, [job.id, this.#baseline, after, limit]);
    if (missed.length === 0) return [];
    const today = missed.map(({ url }) => this.#hashToday(url));
    const rows = await run(db, visitedStatement, [job.id, today]);
    const visited = new Set(rows.map((row) => row.url_hash));
    this.#cut ??= await this.#readCut(db);
    const cut = this.#cut;
    return missed
      .filter(({ url }, n) => visited.has(today[n] as string) || cut.has(...hashWords(url)))
      .map(({ url_hash }) => url_hash);
  }

  #hashToday(url: string): string {
    const { options, urlRules } = this.#context;
    const today = canonicalUrl(url, undefined, canonicalOptions(options, urlRules)) ?? url;
    return urlHash(rulesOf[urlRules].identity(today));
  }

  /** This crawl's URLs as the baseline's rules would have stored them, where that differs. */
  async #readCut(db: Queryable): Promise<HashSet> {
    const { options, job } = this.#context;
    const before = canonicalOptions(options, this.#rules);
    const cut = new HashSet();
    for (let after = nil; ; ) {
      const rows = await run(db, cuttableStatement, [job.id, after, batch]);
      for (const { url } of rows) {
        const stored = canonicalUrl(url, undefined, before);
        if (stored !== null) cut.add(...hashWords(rulesOf[this.#rules].identity(stored)));
      }
      if (rows.length < batch) return cut;
      after = (rows.at(-1) as { url_hash: string }).url_hash;
    }
  }
}

const cuttableBaselineStatement = statement<{ url_hash: string; url: string }>(
  'baseline-pages-with-parameters',
  `
SELECT url_hash, url FROM crawl_pages page
WHERE job_id = $1 AND url_hash > $2 AND url ~ '[?;(]' AND ${wasHad('page')} ORDER BY url_hash LIMIT $3`,
);

/** About 50 MB; further pages are treated as new. */
const maxKnown = 250_000;

/** By a page's hash under today's rules: its hash in a baseline with other rules, where the two differ. */
export async function earlierHashes(
  db: Queryable,
  baseline: string,
  today: CanonicalForm,
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (let after = nil; known.size < maxKnown; ) {
    const rows = await run(db, cuttableBaselineStatement, [baseline, after, batch]);
    for (const { url_hash, url } of rows) {
      const hash = urlHash(today.rules.identity(canonicalUrl(url, undefined, today) ?? url));
      if (hash !== url_hash && !known.has(hash)) known.set(hash, url_hash);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) break;
    after = last.url_hash;
  }
  return known;
}
