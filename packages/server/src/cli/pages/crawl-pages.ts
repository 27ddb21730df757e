import { HoldfastError, type Job, type KeptText, type ListedPage, type PageErrors } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { formatAgo } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { printTable } from '../print-table.ts';
import { printable, shorten } from '../terminal-text.ts';

export function printPages(pages: readonly ListedPage[], next: number | null): void {
  const shows = pages.some(({ rendered, render_reason }) => rendered || render_reason !== null);
  if (pages.length > 0)
    printTable(
      [
        ...['NO', 'OUTCOME', 'STATUS', 'REASON', 'CHANGE', 'DEPTH', 'WORDS', 'PROXY', 'AT'],
        ...(shows ? ['FETCHED BY'] : []),
        ...['URL', 'TITLE'],
      ],
      pages.map((page) => [
        page.page_no,
        page.outcome,
        page.status ?? '',
        page.reason ?? '',
        page.change ?? '',
        page.depth,
        page.word_count ?? '',
        page.proxy ?? '',
        formatAgo(page.fetched_at),
        ...(shows ? [fetchedBy(page)] : []),
        shorten(page.target_url === null ? page.url : `${page.url} → ${page.target_url}`, 80),
        shorten(page.title ?? '', 40),
      ]),
    );
  printMore(next);
}

/** `browser (empty)`: how the page was fetched, and why. */
function fetchedBy({ outcome, rendered, render_reason }: ListedPage): string {
  if (outcome !== 'fetched') return '';
  return `${rendered ? 'browser' : 'http'}${render_reason === null ? '' : ` (${render_reason})`}`;
}

/** By reason, with a few pages of each. */
export function printErrors({ data, more }: PageErrors): void {
  const count = ({ count, exact }: PageErrors['data'][number]) => (exact ? `${count}` : `more than ${count}`);
  for (const group of data) {
    console.log(`${count(group).padStart(6)}  ${group.outcome}: ${group.reason || 'no reason'}`);
    for (const { url, status, message } of group.samples) {
      const why = message ?? (status === null ? '' : `HTTP ${status}`);
      console.log(printable(`          ${shorten(url, 100)}${why && `  (${shorten(why, 80)})`}`));
    }
    const left = group.count - group.samples.length;
    if (left > 0) console.log(`          and ${group.exact ? left : `more than ${left}`} more`);
  }
  if (more) console.log('\nThere are more reasons than these.');
}

/** By host, the smallest share first. */
export function printKeptText({ data, hosts, pages, exact }: KeptText): void {
  printTable(
    ['KEPT', 'WORDS', 'VISIBLE', 'PAGES', 'HOST'],
    data.map((host) => [`${host.kept_percent} %`, host.words, host.visible_words, host.pages, host.host]),
  );
  if (hosts > data.length) console.log(`\n${hosts - data.length} more hosts keep a larger share.`);
  if (!exact) console.log(`\nOf the newest ${pages} pages.`);
}

/** The job, if it is a crawl. Other jobs have no pages; the error says where their results are. */
export async function findCrawlJob(db: Queryable, id: string): Promise<Job> {
  const job = await showJob(db, id);
  if (job.kind === 'crawl') return job;
  const elsewhere =
    job.kind === 'visit'
      ? `holdfast results list --job ${id}`
      : `holdfast intakes show ${job.payload.intake_id}`;
  throw new HoldfastError('bad_request', `job ${id} is a ${job.kind} and has no pages`, {
    hint: `To see its result: ${elsewhere}`,
  });
}
