import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { wasHad } from '../../pages/stored/page.ts';
import { canonicalOptions } from '../../web/urls/canonical-options.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { hashWords, urlHash } from '../../web/urls/url-hash.ts';
import { urlRules as rulesOf, type UrlRulesVersion } from '../../web/urls/url-rules.ts';
import type { CrawlContext } from './crawl-context.ts';
import { HashSet } from './hash-set.ts';

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

/** Rules differ over parameters alone, and those that stand in a path. */
const cuttableStatement = statement<{ url_hash: string; url: string }>(
  'pages-with-parameters',
  `SELECT url_hash, url FROM crawl_pages WHERE job_id = $1 AND url_hash > $2 AND url ~ '[?;(]' ORDER BY url_hash LIMIT $3`,
);

const batch = 10_000;
const nil = '00000000-0000-0000-0000-000000000000';

/**
 * Pages of a baseline with other URL rules that this crawl has under another URL. Nothing led to the URL that the baseline
 * stored, and yet the page is not gone: the baseline had cut a parameter that is kept today, or the other way round.
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

  /** Of the baseline's next `limit` pages behind a hash. */
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

  /** What the baseline's rules make of URLs that they would have stored otherwise. */
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
