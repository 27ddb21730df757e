import { formatCount, formatDuration, formatRate } from '../format-values.ts';
import { printable } from '../print-table.ts';
import { shorten } from '../shorten.ts';
import type { CrawlRate } from './crawl-rate.ts';
import type { CrawlView } from './crawl-view.ts';
import type { Paint } from './paint.ts';

/** What a moment of a crawl looks like on a terminal of this width: a bar with numbers, and the URL it is at. */
export function progressLines(view: CrawlView, rate: CrawlRate, width: number, paint: Paint): string[] {
  const numbers = countersOf(view, rate);
  const plainLength = numbers.map(([text]) => text).join('  ').length;
  const barWidth = Math.min(Math.max(width - plainLength - 9, 0), 40);
  const percent = `${view.progress_percentage} %`.padStart(5);
  const counters = numbers.map(([text, colour]) => (colour ? paint(colour, text) : text)).join('  ');
  const first =
    barWidth >= 8 ? `${bar(view.progress_percentage, barWidth, paint)} ${percent}  ${counters}` : counters;
  const where = shorten(printable(doingWhat(view)), width - 1);
  return [first, paint('dim', where)];
}

/** The same for a log file or a pipe. */
export function progressText(view: CrawlView, rate: CrawlRate): string {
  const numbers = countersOf(view, rate).map(([text]) => text);
  return `${`${view.progress_percentage} %`.padStart(5)}  ${numbers.join('  ')}  ${printable(doingWhat(view))}`;
}

function countersOf(view: CrawlView, rate: CrawlRate): [string, Parameters<Paint>[0]?][] {
  // While nothing is under way, the pace tells nothing.
  const left = view.status === 'processing' ? rate.secondsLeft(view) : undefined;
  return [
    [`${formatCount(view.fetched)} done`, 'green'],
    [`${formatCount(view.total_pending)} pending`],
    [`${formatCount(view.failed)} failed`, view.failed > 0 ? 'red' : 'dim'],
    [`${formatRate(rate.perSecond)}/s`],
    ...(left !== undefined && left > 0 ? ([[`~${formatDuration(left)} left`, 'dim']] as const) : []),
  ] as [string, Parameters<Paint>[0]?][];
}

function doingWhat(view: CrawlView): string {
  const { status, requested_action, current_url, next_retry_at, run_at, started_at } = view;
  if (requested_action === 'pause') return 'pausing …';
  if (requested_action === 'cancel') return 'being cancelled …';
  if (status === 'retryable')
    return `waiting to try again${next_retry_at ? ` at ${clock(next_retry_at)}` : ''}`;
  if (status === 'pending' && run_at && started_at)
    return `every host that is left is blocked; looking again at ${clock(run_at)}`;
  if (status === 'pending') return 'waiting for a runner';
  return current_url ?? 'starting …';
}

function bar(percent: number, width: number, paint: Paint): string {
  const done = Math.round((width * percent) / 100);
  return paint('cyan', '━'.repeat(done)) + paint('dim', '─'.repeat(width - done));
}

function clock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}
