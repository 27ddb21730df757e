import { formatCount, formatDuration, formatRate } from '../format-values.ts';
import { type Paint, printable, shorten } from '../terminal-text.ts';
import type { CrawlView } from './crawl-view.ts';

/** Progress on a terminal of this width: a bar with counters, and the current URL. */
export function progressLines(view: CrawlView, rate: CrawlRate, width: number, paint: Paint): string[] {
  const numbers = countersOf(view, rate);
  const plainLength = numbers.map(([text]) => text).join('  ').length;
  const barWidth = Math.min(Math.max(width - plainLength - 9, 0), 40);
  const percent = `${view.progress_percentage} %`.padStart(5);
  const counters = numbers.map(([text, colour]) => (colour ? paint(colour, text) : text)).join('  ');
  const first =
    barWidth >= 8 ? `${bar(view.progress_percentage, barWidth, paint)} ${percent}  ${counters}` : counters;
  const where = shorten(printable(activityOf(view)), width - 1);
  return [first, paint('dim', where)];
}

/** Progress for a log file or a pipe. */
export function progressText(view: CrawlView, rate: CrawlRate): string {
  const numbers = countersOf(view, rate).map(([text]) => text);
  return `${`${view.progress_percentage} %`.padStart(5)}  ${numbers.join('  ')}  ${printable(activityOf(view))}`;
}

function countersOf(view: CrawlView, rate: CrawlRate): [string, Parameters<Paint>[0]?][] {
  // The rate means nothing while the crawl waits.
  const left = view.status === 'processing' ? rate.secondsLeft(view) : undefined;
  return [
    [`${formatCount(view.fetched)} done`, 'green'],
    [`${formatCount(view.total_pending)} pending`],
    [`${formatCount(view.failed)} failed`, view.failed > 0 ? 'red' : 'dim'],
    [`${formatRate(rate.perSecond)}/s`],
    ...(left !== undefined && left > 0 ? ([[`~${formatDuration(left)} left`, 'dim']] as const) : []),
  ] as [string, Parameters<Paint>[0]?][];
}

function activityOf(view: CrawlView): string {
  const { status, requested_action, current_url, next_retry_at, run_at, started_at } = view;
  if (requested_action === 'pause') return 'pausing …';
  if (requested_action === 'cancel') return 'cancelling …';
  if (status === 'retryable') return `waiting to retry${next_retry_at ? ` at ${clock(next_retry_at)}` : ''}`;
  if (status === 'pending' && run_at && started_at)
    return `all remaining hosts are blocked; next attempt at ${clock(run_at)}`;
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

interface Sample {
  readonly at: number;
  readonly processed: number;
}

const windowMs = 10_000;

/** The rate of a crawl over the last ten seconds: soon shows a pause or a slow host, but not a hiccup. */
export class CrawlRate {
  #samples: Sample[] = [];

  add({ total_processed }: CrawlView, now = performance.now()): void {
    this.#samples.push({ at: now, processed: total_processed });
    while ((this.#samples[1]?.at ?? now) < now - windowMs) this.#samples.shift();
  }

  /** Pages per second. */
  get perSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < 500) return 0;
    return Math.max(((last.processed - first.processed) * 1000) / (last.at - first.at), 0);
  }

  /** Until the URLs known now are done; more may be found. */
  secondsLeft({ total_pending, fetched, payload }: CrawlView): number | undefined {
    if (this.perSecond === 0) return undefined;
    const limit =
      typeof payload.max_pages === 'number' ? payload.max_pages - fetched : Number.POSITIVE_INFINITY;
    return Math.min(total_pending, limit) / this.perSecond;
  }
}
