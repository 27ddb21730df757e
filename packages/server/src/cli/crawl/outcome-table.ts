import type { ReasonCount } from '../../pages/stored/list-errors.ts';
import type { PageChange } from '../../pages/stored/page.ts';
import { formatCount } from '../format-values.ts';
import type { Paint } from '../terminal-text.ts';
import type { CrawlView } from './crawl-view.ts';
import { explainReason } from './explain-reason.ts';

export interface OutcomeRow {
  readonly outcome:
    | 'fetched'
    | PageChange
    | 'redirected'
    | 'skipped'
    | 'failed'
    | 'off scope'
    | 'not crawled'
    | 'pending';
  readonly reason: string;
  readonly meaning: string;
  readonly count: number;
}

/** The outcome of every URL of a crawl. */
export function outcomeRows(view: CrawlView, reasons: readonly ReasonCount[]): OutcomeRow[] {
  const row = (
    outcome: OutcomeRow['outcome'],
    count: number,
    reason = '',
    meaning = explainReason(reason),
  ) => ({
    outcome,
    reason,
    meaning,
    count,
  });
  const offScope = Object.entries(view.off_scope).sort(([, a], [, b]) => b - a);
  return [
    row('fetched', view.fetched, '', 'pages, each stored once'),
    ...(view.baseline === null ? [] : changeRows(view, row)),
    ...(view.redirected > 0
      ? [row('redirected', view.redirected, '', 'redirects, which were followed')]
      : []),
    ...(['skipped', 'failed'] as const).flatMap((outcome) =>
      reasons
        .filter((found) => found.outcome === outcome)
        .map(({ reason, count }) => row(outcome, count, reason ?? '')),
    ),
    ...(view.total_pending > 0 ? [row('pending', view.total_pending, '', 'found, not fetched yet')] : []),
    ...offScope.map(([reason, count]) => row('off scope', count, reason)),
    ...(view.not_crawled > 0
      ? [row('not crawled', view.not_crawled, '', 'found, left out because of --limit')]
      : []),
  ];
}

/** Changes since the previous crawl. */
function changeRows(
  { new_pages, changed, unchanged, gone }: CrawlView,
  row: (outcome: PageChange, count: number, reason: string, meaning: string) => OutcomeRow,
): OutcomeRow[] {
  return [
    row('new', new_pages, '', 'not in the previous crawl'),
    row('changed', changed, '', 'title, headline or main content differs'),
    row('unchanged', unchanged, '', 'same as before'),
    row('gone', gone, '', 'in the previous crawl; now 404, 410, a redirect, or no longer linked'),
  ];
}

const colours = { fetched: 'green', failed: 'red' } as const;

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
