import type { ReasonCount } from '../../pages/stored/list-errors.ts';
import type { PageChange } from '../../pages/stored/page.ts';
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

/** What became of every URL of a crawl. */
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
      ? [row('redirected', view.redirected, '', 'led to other URLs, which were followed')]
      : []),
    ...(['skipped', 'failed'] as const).flatMap((outcome) =>
      reasons
        .filter((found) => found.outcome === outcome)
        .map(({ reason, count }) => row(outcome, count, reason ?? '')),
    ),
    ...(view.total_pending > 0 ? [row('pending', view.total_pending, '', 'found, and not fetched yet')] : []),
    ...offScope.map(([reason, count]) => row('off scope', count, reason)),
    ...(view.not_crawled > 0
      ? [row('not crawled', view.not_crawled, '', 'found, and left out when --limit was reached')]
      : []),
  ];
}

/** How the crawl differs from the one before. */
function changeRows(
  { new_pages, changed, unchanged, gone }: CrawlView,
  row: (outcome: PageChange, count: number, reason: string, meaning: string) => OutcomeRow,
): OutcomeRow[] {
  return [
    row('new', new_pages, '', 'of them: not in the crawl before'),
    row('changed', changed, '', 'of them: another title, headline or main content than before'),
    row('unchanged', unchanged, '', 'of them: as before'),
    row('gone', gone, '', 'in the crawl before: now 404, 410 or a redirect, or no link leads there'),
  ];
}
