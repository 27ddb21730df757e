import { inflateRawSync } from 'node:zlib';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { inSlices } from './in-slices.ts';
import { baselineOf } from './list-changes.ts';
import { contentOf, type Page, type PageChange } from './page.ts';
import { unifyingDiff } from './unified-diff.ts';

interface PageVersion {
  readonly job_id: string;
  readonly url: string;
  readonly change: PageChange | null;
  readonly fetched_at: Date;
  readonly outcome: Page['outcome'];
  readonly markdown: Buffer | null;
}

export interface PageDiff {
  readonly job_id: string;
  readonly url: string;
  readonly change: PageChange;
  /** The job that it is compared with. */
  readonly baseline: string;
  /** Unified diff of the markdown of both; empty when it is the same. */
  readonly diff: string;
}

const versionsStatement = statement<PageVersion>(
  'page-versions',
  `
SELECT page.job_id, page.url, page.change, page.fetched_at, page.outcome, content.markdown FROM crawl_pages page ${contentOf('page')}
WHERE page.job_id = ANY ($1::uuid[]) AND page.url_hash = $2`,
);

/** How a page of a recrawl differs from its baseline. `name` names the page in the error if there is none. */
export async function diffPage(
  db: Queryable,
  jobId: string,
  urlHash: string,
  name = urlHash,
): Promise<PageDiff> {
  const state = await baselineOf(db, jobId);
  if (!state.is_there) {
    throw new HoldfastError(
      'page_not_found',
      `the crawl that job ${jobId} was compared with has been pruned`,
      {
        hint: 'HOLDFAST_RETENTION_DAYS says how long finished jobs are kept.',
      },
    );
  }
  const versions = await run(db, versionsStatement, [[jobId, state.baseline], urlHash]);
  const before = versions.find(({ job_id }) => job_id === state.baseline);
  const found = versions.find(({ job_id }) => job_id === jobId);
  // A page that could not be fetched keeps the baseline's content: that is no new version.
  const after = found && (found.outcome === 'fetched' ? found : { ...found, markdown: null });
  const known = after ?? before;
  if (!known) throw new HoldfastError('page_not_found', `${name} of job ${jobId}`);
  const names = { before: nameOf(before, known.url), after: nameOf(after, known.url) };
  return {
    job_id: jobId,
    url: known.url,
    // A page that no link led to any more has no row in the recrawl.
    change: after?.change ?? (after ? 'changed' : 'gone'),
    baseline: state.baseline,
    diff: await inSlices(unifyingDiff(textOf(before), textOf(after), names)),
  };
}

function nameOf(version: PageVersion | undefined, url: string): string {
  return version?.markdown ? `${url}\t${version.fetched_at.toISOString()}` : '/dev/null';
}

function textOf(version: PageVersion | undefined): string {
  return version?.markdown ? inflateRawSync(version.markdown).toString('utf8').trimEnd() : '';
}
