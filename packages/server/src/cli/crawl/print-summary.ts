import { type ErrorCode, errors, exitCodes } from '@holdfast/contract';
import { calledAs } from '../../base/process/installation.ts';
import type { PageOutput } from '../../pages/export/page-output.ts';
import { countOf, formatBytes, formatDuration, formatRate } from '../format-values.ts';
import { type Paint, paintFor, printable, shellQuoted } from '../terminal-text.ts';
import type { CrawlFlags, CrawlRequest } from './crawl-request.ts';
import type { CrawlView } from './crawl-view.ts';
import { explainError } from './explain-reason.ts';
import { type OutcomeRow, outcomeTable } from './outcome-table.ts';
import type { Unrendered } from './without-browser.ts';

export interface CrawlSummary {
  readonly view: CrawlView;
  /** The signal that ended it; undefined if it ended by itself. */
  readonly signal: string | undefined;
  readonly rows: readonly OutcomeRow[];
  /** The private origin that it was not allowed to fetch, if it failed because of that. */
  readonly refused: string | undefined;
  readonly unrendered: Unrendered | undefined;
  readonly output: PageOutput;
  /** Since this command started. */
  readonly thisRun: { readonly processed: number; readonly seconds: number };
}

/** Exit codes of commands that a signal ended, as shells have them. */
const signalExit: Record<string, number> = { SIGINT: 130, SIGTERM: 143 };

/** Prints the outcome of a crawl and what to do next, and sets the exit code. */
export function printSummary(summary: CrawlSummary, flags: CrawlFlags, request: CrawlRequest): void {
  const { view, signal } = summary;
  // Pages on standard output must stay pages only.
  const stream = request.output.path === '-' ? process.stderr : process.stdout;
  if (flags.json) stream.write(`${JSON.stringify(summaryAsJson(summary))}\n`);
  else if (!flags.quiet) stream.write(`${summaryText(summary, paintFor(stream))}\n`);
  const paint = paintFor(process.stderr);
  if (view.status === 'completed') {
    const why = view.not_crawled > 0 ? 'The limit is reached.' : 'Nothing is left to crawl.';
    if (!flags.quiet && !flags.json) stream.write(`${paintFor(stream)('green', 'Done.')} ${why}\n`);
    return;
  }
  process.exitCode = (signal && signalExit[signal]) || exitCodes.failure;
  const again = `Run the same command to continue:\n  ${paint('bold', sameCommand())}`;
  if (view.status === 'failed') {
    console.error(
      `holdfast: ${printable(explainError(view.error_message ?? 'The crawl failed'))}\n  ${hintOf(summary, request)}`,
    );
  } else if (view.status === 'cancelled') {
    console.error(`The crawl was cancelled. ${again}`);
  } else if (view.status === 'processing') {
    console.error(`${view.worker_id} holds the crawl and was asked to pause it. ${again}`);
  } else {
    console.error(`${signal ? 'Stopped' : 'The crawl was paused'}; nothing is lost. ${again}`);
  }
}

/** The table of outcomes, and where to find the rest. */
function summaryText({ view, rows, unrendered, output, thisRun }: CrawlSummary, paint: Paint): string {
  const more = (label: string, command: string) =>
    `  ${paint('dim', label.padEnd(6))}  ${paint('dim', `${calledAs()} ${command} ${view.id}`)}`;
  return [
    '',
    outcomeTable(rows, paint),
    '',
    ...(thisRun.processed > 0 ? [`  ${paint('dim', 'time  ')}  ${timeText(thisRun, view)}`] : []),
    ...(output.pageNo > 0 ? [`  ${paint('dim', 'output')}  ${outputText(output)}`] : []),
    `  ${paint('dim', 'job   ')}  ${view.id}`,
    ...(view.baseline
      ? [`  ${paint('dim', 'before')}  ${view.baseline}, the crawl it is compared with`]
      : []),
    ...(view.baseline ? [more('diff', 'pages changes')] : []),
    ...(view.failed + view.skipped > 0 ? [more('why', 'pages errors')] : []),
    more('more', 'jobs show'),
    '',
    ...(unrendered ? unrenderedText(unrendered, paint) : []),
  ].join('\n');
}

function unrenderedText({ pages, problem, advice }: Unrendered, paint: Paint): string[] {
  const what =
    pages === 1 ? '1 page may need JavaScript and was' : `${pages} pages may need JavaScript and were`;
  return [
    paint('yellow', `  ${what} stored as the server sent ${pages === 1 ? 'it' : 'them'}: ${problem}.`),
    `  ${advice}`,
    '',
  ];
}

function timeText(
  { processed, seconds }: CrawlSummary['thisRun'],
  { total_processed, bytes }: CrawlView,
): string {
  const share = processed === total_processed ? '' : `${countOf(processed, 'page')} `;
  const rate = formatRate(processed / Math.max(seconds, 0.001));
  return `${share}in ${formatDuration(seconds)}, ${rate} pages/s, ${formatBytes(bytes)} fetched in total`;
}

function outputText({ name, added }: PageOutput): string {
  const written = `${countOf(added.pages, 'page')}, ${formatBytes(added.bytes)}`;
  return added.pages === 0 ? name : `${name}  (${written} written)`;
}

function summaryAsJson({ view, rows, unrendered, output, thisRun }: CrawlSummary) {
  const { id, status, error_code, error_message, payload, fetched, failed, skipped, redirected } = view;
  return {
    job: id,
    url: payload.url,
    status,
    ...(error_code && { error: error_code, message: error_message }),
    ...{ fetched, failed, skipped, redirected, pending: view.total_pending, not_crawled: view.not_crawled },
    ...(view.baseline && { baseline: view.baseline, changes: changesOf(view) }),
    ...(unrendered && { not_rendered: unrendered.pages, not_rendered_why: unrendered.problem }),
    off_scope: view.off_scope,
    outcomes: rows.map(({ outcome, reason, count }) => ({ outcome, ...(reason && { reason }), count })),
    bytes: view.bytes,
    seconds: Math.round(thisRun.seconds * 1000) / 1000,
    output: output.name,
  };
}

function changesOf({ new_pages, changed, unchanged, gone }: CrawlView) {
  return { new: new_pages, changed, unchanged, gone };
}

function hintOf({ view: { error_code }, rows, refused }: CrawlSummary, { options }: CrawlRequest): string {
  if (error_code === 'address_forbidden' && refused !== undefined)
    return `Only public addresses are fetched. To allow this one: --allow-private ${refused}`;
  const hasList = rows.some(({ reason }) => reason === 'sitemap');
  if (error_code === 'nothing_to_fetch' && options.strategy === 'sitemap' && !hasList)
    return `No sitemap was found at ${printable(options.url)}. Pass the URL of the sitemap itself, or drop --strategy sitemap to follow links.`;
  const { hint, retry } = errors[error_code as ErrorCode] ?? errors.run_failed;
  // The hints in the table are about jobs that workers retry; this command does not.
  return retry === 'later'
    ? 'Every attempt failed this way. Check the URL and that the site is up; the same command tries again.'
    : hint;
}

/** The command line of this process. */
function sameCommand(args: readonly string[] = process.argv.slice(2)): string {
  return [calledAs(), ...args.map(shellQuoted)].join(' ');
}
