import { inflateRawSync } from 'node:zlib';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { baselineOf } from './baseline-of.ts';
import { contentOf } from './content-of.ts';
import { inSlices } from './in-slices.ts';
import type { Page, PageChange } from './page.ts';
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
  /** The job that it was compared with. */
  readonly baseline: string;
  /** From the main content of the earlier crawl to that of the later, as markdown; empty when it is the same. */
  readonly diff: string;
}

const versionsStatement = statement<PageVersion>(
  'page-versions',
  `
SELECT page.job_id, page.url, page.change, page.fetched_at, page.outcome, content.markdown FROM crawl_pages page ${contentOf('page')}
WHERE page.job_id = ANY ($1::uuid[]) AND page.url_hash = $2`,
);

/** How a page of a recrawl differs from what the crawl before had of it. `name` is what to call it if there is none. */
export async function diffPage(
  db: Queryable,
  jobId: string,
  urlHash: string,
  name = urlHash,
): Promise<PageDiff> {
  const state = await baselineOf(db, jobId);
  if (!state.is_there) {
    throw new HoldfastError('page_not_found', `the crawl that job ${jobId} was compared with is pruned`, {
      hint: 'HOLDFAST_RETENTION_DAYS says how long finished jobs are kept.',
    });
  }
  const versions = await run(db, versionsStatement, [[jobId, state.baseline], urlHash]);
  const before = versions.find(({ job_id }) => job_id === state.baseline);
  const found = versions.find(({ job_id }) => job_id === jobId);
  // What a page that could not be had keeps is what it was before.
  const after = found && (found.outcome === 'fetched' ? found : { ...found, markdown: null });
  const known = after ?? before;
  if (!known) throw new HoldfastError('page_not_found', `${name} of job ${jobId}`);
  const names = { before: nameOf(before, known.url), after: nameOf(after, known.url) };
  return {
    job_id: jobId,
    url: known.url,
    // Those that nothing led to any more have no page of their own.
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
