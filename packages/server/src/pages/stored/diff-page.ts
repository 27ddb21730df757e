import { inflateRawSync } from 'node:zlib';
import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { headlineOf, type PageHeading } from '../../web/html/extracted-page.ts';
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
  readonly title: string | null;
  readonly headings: readonly PageHeading[] | null;
  readonly markdown: Buffer | null;
}

export interface PageDiff {
  readonly job_id: string;
  readonly url: string;
  readonly change: PageChange;
  /** The job that it is compared with. */
  readonly baseline: string;
  /** Unified diff of the markdown of both, below a title or headline that changed; empty if they are the same. */
  readonly diff: string;
}

const versionsStatement = statement<PageVersion>(
  'page-versions',
  `
SELECT page.job_id, page.url, page.change, page.fetched_at, page.outcome, page.title, page.structured->'headings' AS headings,
  content.markdown
FROM crawl_pages page ${contentOf('page')}
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
    diff: await inSlices(unifyingDiff(...textsOf(before, after), names)),
  };
}

/** A title is not in the markdown, nor is a headline outside the main content: if one changed, it stands above. */
function textsOf(before: PageVersion | undefined, after: PageVersion | undefined): [string, string] {
  const texts: [string, string] = [textOf(before), textOf(after)];
  if (!before?.markdown || !after?.markdown) return texts;
  const heads: (readonly [label: string, before: string, after: string])[] = [
    ['title', before.title ?? '', after.title ?? ''],
  ];
  if (texts[0] === texts[1]) heads.push(['headline', headlineIn(before), headlineIn(after)]);
  const changed = heads.filter(([, earlier, later]) => earlier !== later);
  const above = (at: 1 | 2) => changed.map((head) => `${head[0]}: ${head[at]}\n`).join('');
  return changed.length === 0 ? texts : [`${above(1)}\n${texts[0]}`, `${above(2)}\n${texts[1]}`];
}

function headlineIn({ headings }: PageVersion): string {
  return headlineOf(headings ?? []) ?? '';
}

function nameOf(version: PageVersion | undefined, url: string): string {
  return version?.markdown ? `${url}\t${version.fetched_at.toISOString()}` : '/dev/null';
}

function textOf(version: PageVersion | undefined): string {
  return version?.markdown ? inflateRawSync(version.markdown).toString('utf8').trimEnd() : '';
}
