import { calledAs } from '../../base/process/installation.ts';
import type { PageOutput } from '../../pages/export/page-output.ts';
import type { CrawlView } from './crawl-view.ts';
import type { Paint } from './paint.ts';
import { countOf, formatBytes, formatCount, formatDuration, formatRate } from '../format-values.ts';
import type { OutcomeRow } from './outcome-table.ts';

export interface CrawlSummary {
  readonly view: CrawlView;
  /** The signal that ended it, or nothing when it came to its own end. */
  readonly signal: string | undefined;
  readonly rows: readonly OutcomeRow[];
  /** The origin that it was not let fetch, if it failed by that. */
  readonly refused: string | undefined;
  readonly output: PageOutput;
  /** Pages done, and time taken, since this command started. */
  readonly thisRun: { readonly processed: number; readonly seconds: number };
}

const colours = { fetched: 'green', failed: 'red' } as const;

/** The table of outcomes, and where everything is. */
export function summaryText({ view, rows, output, thisRun }: CrawlSummary, paint: Paint): string {
  const more = (label: string, command: string) =>
    `  ${paint('dim', label.padEnd(6))}  ${paint('dim', `${calledAs()} ${command} ${view.id}`)}`;
  return [
    '',
    outcomeTable(rows, paint),
    '',
    ...(thisRun.processed > 0 ? [`  ${paint('dim', 'time  ')}  ${timeText(thisRun, view)}`] : []),
    ...(output.pageNo > 0 ? [`  ${paint('dim', 'output')}  ${outputText(output)}`] : []),
    `  ${paint('dim', 'job   ')}  ${view.id}`,
    ...(view.baseline ? [`  ${paint('dim', 'before')}  ${view.baseline}, with which it is compared`] : []),
    ...(view.baseline ? [more('diff', 'pages changes')] : []),
    ...(view.failed + view.skipped > 0 ? [more('why', 'pages errors')] : []),
    more('more', 'jobs show'),
    '',
  ].join('\n');
}

export function outcomeTable(rows: readonly OutcomeRow[], paint: Paint): string {
  const width = (column: 'outcome' | 'reason') => Math.max(...rows.map((row) => row[column].length));
  const counts = rows.map(({ count }) => formatCount(count));
  const countWidth = Math.max(...counts.map((count) => count.length), 4);
  const table = rows.map((row, index) => {
    const label = row.outcome === rows[index - 1]?.outcome ? '' : row.outcome;
    const colour = row.outcome in colours ? colours[row.outcome as keyof typeof colours] : undefined;
    const shown = label.padEnd(width('outcome'));
    const cells = [
      colour ? paint(colour, shown) : shown,
      counts[index]?.padStart(countWidth),
      row.reason.padEnd(width('reason')),
      paint('dim', row.meaning),
    ];
    return `  ${cells.filter((cell) => cell !== '').join('  ')}`.trimEnd();
  });
  return table.join('\n');
}

function timeText(
  { processed, seconds }: CrawlSummary['thisRun'],
  { total_processed, bytes }: CrawlView,
): string {
  const share = processed === total_processed ? '' : `${countOf(processed, 'page')} `;
  const rate = formatRate(processed / Math.max(seconds, 0.001));
  return `${share}in ${formatDuration(seconds)}, ${rate} pages a second, ${formatBytes(bytes)} fetched in all`;
}

function outputText({ name, added }: PageOutput): string {
  const written = `${countOf(added.pages, 'page')}, ${formatBytes(added.bytes)}`;
  return added.pages === 0 ? name : `${name}  (${written} written now)`;
}
