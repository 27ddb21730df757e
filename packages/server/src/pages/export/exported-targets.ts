import { LruMap } from '../../base/collections/lru-map.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { maxRedirects } from '../../web/fetch/fetch-following.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import { type UrlRulesVersion, urlRules } from '../../web/urls/url-rules.ts';
import { readUrlRules } from '../stored/read-pages.ts';

const findStatement = statement<{ url_hash: string; url: string; target_url: string | null }>(
  'find-exported-targets',
  `
SELECT url_hash, url, CASE WHEN outcome = 'redirected' THEN target_url END AS target_url FROM crawl_pages
WHERE job_id = $1 AND url_hash = ANY ($2::uuid[]) AND (outcome = 'redirected' OR outcome = 'fetched' AND page_no <= $3)`,
);

/** Links to remember: most links of a site are on many of its pages. Forgotten ones are queried again. */
const remembered = 100_000;

/** Finds the links that lead to a page of an export, directly or through redirects. */
export class ExportedTargets {
  readonly #db: Queryable;
  readonly #jobId: string;
  readonly #lastPage: number;
  #rules: Promise<UrlRulesVersion> | undefined;
  /** By link: the URL of its page; null when the export has none. */
  readonly #known = new LruMap<string | null>(remembered);

  /** `lastPage`: the last page of the export; a running crawl may have more by now. */
  constructor(db: Queryable, jobId: string, lastPage: number) {
    this.#db = db;
    this.#jobId = jobId;
    this.#lastPage = lastPage;
  }

  /** By link, the URL of the page that it leads to; links that lead elsewhere are left out. */
  async of(links: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const asked: string[] = [];
    for (const link of links) {
      const url = this.#known.get(link);
      if (url) found.set(link, url);
      else if (url === undefined) asked.push(link);
    }
    for (const [link, url] of await this.#ask(asked)) {
      this.#known.set(link, url);
      if (url !== null) found.set(link, url);
    }
    return found;
  }

  async #ask(links: readonly string[]): Promise<Map<string, string | null>> {
    this.#rules ??= readUrlRules(this.#db, this.#jobId);
    const { identity } = urlRules[await this.#rules];
    const answers = new Map<string, string | null>(links.map((link) => [link, null]));
    /** By URL reached so far: the links that led there. */
    let left = new Map(links.map((link) => [link, [link]]));
    for (let hop = 0; left.size > 0 && hop <= maxRedirects; hop++) {
      const byHash = new Map<string, string[]>();
      for (const [url, from] of left) {
        const hash = urlHash(identity(url));
        byHash.set(hash, [...(byHash.get(hash) ?? []), ...from]);
      }
      const rows = await run(this.#db, findStatement, [this.#jobId, [...byHash.keys()], this.#lastPage]);
      left = new Map();
      for (const { url_hash, url, target_url } of rows) {
        const from = byHash.get(url_hash) ?? [];
        if (target_url === null) for (const link of from) answers.set(link, url);
        else left.set(target_url, [...(left.get(target_url) ?? []), ...from]);
      }
    }
    return answers;
  }
}
