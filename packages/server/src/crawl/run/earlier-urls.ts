import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { wasHad } from '../../pages/stored/page.ts';
import type { CanonicalForm } from '../../web/urls/canonical-options.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { urlHash } from '../../web/urls/url-hash.ts';

/** Rules differ over parameters alone, and those that stand in a path. */
const cuttableStatement = statement<{ url_hash: string; url: string }>(
  'baseline-pages-with-parameters',
  `
SELECT url_hash, url FROM crawl_pages page
WHERE job_id = $1 AND url_hash > $2 AND url ~ '[?;(]' AND ${wasHad('page')} ORDER BY url_hash LIMIT $3`,
);

const batch = 10_000;
/** About 50 MB; what lies beyond is taken for new. */
const maxKnown = 250_000;
const nil = '00000000-0000-0000-0000-000000000000';

/** By the hash of a page today: its hash in a baseline with other rules, where that is another. */
export async function earlierHashes(
  db: Queryable,
  baseline: string,
  today: CanonicalForm,
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (let after = nil; known.size < maxKnown; ) {
    const rows = await run(db, cuttableStatement, [baseline, after, batch]);
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
