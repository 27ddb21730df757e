import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { PageChange } from './page.ts';

export interface ChangedPage {
  readonly change: PageChange;
  readonly url: string;
  readonly title: string | null;
  /** Of the answer; null when the page was not asked for, because nothing led to it any more. */
  readonly status: number | null;
}

const batch = 1_000;
const nil = '00000000-0000-0000-0000-000000000000';

const pagesStatement = statement<ChangedPage & { page_no: number }>(
  'list-changed-pages',
  `
SELECT page_no, change, url, title, status FROM crawl_pages
WHERE job_id = $1 AND page_no > $2 AND change = ANY ($3::page_change[]) ORDER BY page_no LIMIT $4`,
);

const goneStatement = statement<{ url_hash: string; url: string; title: string | null }>(
  'list-gone-pages',
  `
SELECT url_hash, url, title FROM crawl_gone WHERE job_id = $1 AND url_hash > $2 ORDER BY url_hash LIMIT $3`,
);

/** What became of the pages of a recrawl: those with one of these changes. */
export async function* listChanges(
  db: Queryable,
  jobId: string,
  changes: readonly PageChange[] = ['new', 'changed', 'gone'],
): AsyncGenerator<ChangedPage> {
  for (let last = 0; ; ) {
    const rows = await run(db, pagesStatement, [jobId, last, changes, batch]);
    for (const { page_no, ...page } of rows) {
      last = page_no;
      yield page;
    }
    if (rows.length < batch) break;
  }
  if (!changes.includes('gone')) return;
  for (let last = nil; ; ) {
    const rows = await run(db, goneStatement, [jobId, last, batch]);
    for (const { url_hash, url, title } of rows) {
      last = url_hash;
      yield { change: 'gone', url, title, status: null };
    }
    if (rows.length < batch) return;
  }
}
