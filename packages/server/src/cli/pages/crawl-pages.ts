import type { ListedPage, PageErrors } from '@holdfast/contract';
import { formatAgo } from '../format-time.ts';
import { printable, printTable } from '../print-table.ts';
import { shorten } from '../shorten.ts';

export function printPages(pages: readonly ListedPage[], next: number | null): void {
  if (pages.length > 0)
    printTable(
      ['NO', 'OUTCOME', 'STATUS', 'REASON', 'CHANGE', 'DEPTH', 'WORDS', 'AT', 'URL', 'TITLE'],
      pages.map((page) => [
        page.page_no,
        page.outcome,
        page.status ?? '',
        page.reason ?? '',
        page.change ?? '',
        page.depth,
        page.word_count ?? '',
        formatAgo(page.fetched_at),
        shorten(page.target_url === null ? page.url : `${page.url} → ${page.target_url}`, 80),
        shorten(page.title ?? '', 40),
      ]),
    );
  if (next !== null) console.log(`\nMore: --after ${next}`);
}

/** By reason, each with a few of its pages. */
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
