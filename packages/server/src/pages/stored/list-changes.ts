import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { PageChange } from './page.ts';

interface ChangedPage {
  readonly change: PageChange;
  readonly url: string;
  readonly title: string | null;
  /** Null when the page was not fetched, because no link led to it any more. */
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

/** Pages of a recrawl with one of these changes. */
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

interface Baseline {
  /** The job that a recrawl is compared with. */
  readonly baseline: string;
  /** False when it has been pruned. */
  readonly is_there: boolean;
}

const baselineStatement = statement<Baseline | { baseline: null; is_there: false }>(
  'baseline-of-crawl',
  `
SELECT baseline, EXISTS (SELECT FROM crawl_states other WHERE other.job_id = state.baseline) AS is_there
FROM crawl_states state WHERE job_id = $1`,
);

/** The crawl that a recrawl was compared with. Throws for a crawl that was not compared with any. */
export async function baselineOf(db: Queryable, jobId: string): Promise<Baseline> {
  const [state] = await run(db, baselineStatement, [jobId]);
  if (state?.baseline) return state;
  throw new HoldfastError('bad_request', `job ${jobId} was not compared with an earlier crawl`, {
    hint: 'Crawl it again with --recrawl, or with "recrawl": true in its payload.',
  });
}

/** SQL: the changes of a recrawl, counted; null for other crawls. `state` is an alias of crawl_states. */
export const changeCounts = `CASE WHEN state.baseline IS NOT NULL THEN jsonb_build_object('baseline', state.baseline,
    'new', state.new_pages, 'changed', state.changed, 'unchanged', state.unchanged, 'gone', state.gone) END`;
