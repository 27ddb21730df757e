import { type ErrorCode, errors, exitCodes } from '@holdfast/contract';
import { printable } from '../print-table.ts';
import type { CrawlFlags, CrawlRequest } from './crawl-request.ts';
import type { CrawlView } from './crawl-view.ts';
import { paintFor } from './paint.ts';
import { plainError } from './plain-error.ts';
import { sameCommand } from './same-command.ts';
import { type CrawlSummary, summaryText } from './summary-text.ts';

/** How shells say that a signal ended a command. */
const signalExit: Record<string, number> = { SIGINT: 130, SIGTERM: 143 };

/** The last words: what came of it, and what to do now. */
export function tellOutcome(summary: CrawlSummary, flags: CrawlFlags, request: CrawlRequest): void {
  const { view, signal } = summary;
  const toStdout = request.output.path !== '-';
  const stream = toStdout ? process.stdout : process.stderr;
  if (flags.json) stream.write(`${JSON.stringify(summaryAsJson(summary))}\n`);
  else if (!flags.quiet) stream.write(`${summaryText(summary, paintFor(stream))}\n`);
  const paint = paintFor(process.stderr);
  if (view.status === 'completed') {
    const why = view.not_crawled > 0 ? 'The limit is reached.' : 'Nothing is left to crawl.';
    if (!flags.quiet && !flags.json) stream.write(`${paintFor(stream)('green', 'Done.')} ${why}\n`);
    return;
  }
  process.exitCode = (signal && signalExit[signal]) || exitCodes.failure;
  const again = `Go on with the same command:\n  ${paint('bold', sameCommand())}`;
  if (view.status === 'failed') {
    console.error(
      `holdfast: ${printable(plainError(view.error_message ?? 'The crawl failed'))}\n  ${hintOf(summary, request)}`,
    );
  } else if (view.status === 'cancelled') {
    console.error(`The crawl was cancelled. ${again}`);
  } else if (view.status === 'processing') {
    console.error(`${view.worker_id} still has the crawl, and was asked to pause it. ${again}`);
  } else {
    console.error(`${signal ? 'Stopped' : 'The crawl was paused'}; nothing is lost. ${again}`);
  }
}

function hintOf({ view: { error_code }, rows, refused }: CrawlSummary, { options }: CrawlRequest): string {
  if (error_code === 'address_forbidden' && refused !== undefined)
    return `Only public addresses are fetched. If this one is yours: --allow-private ${refused}`;
  const hasList = rows.some(({ reason }) => reason === 'sitemap');
  if (error_code === 'nothing_to_fetch' && options.strategy === 'sitemap' && !hasList)
    return `No sitemap was found at ${printable(options.url)}. Give the address of the sitemap itself, or leave out --strategy sitemap to follow links.`;
  const { hint, retry } = errors[error_code as ErrorCode] ?? errors.run_failed;
  // The table speaks of jobs that workers try again; nobody does that here.
  return retry === 'later'
    ? 'Every try ended so. Check the address, and that the site is up; the same command tries again.'
    : hint;
}

function summaryAsJson({ view, rows, output, thisRun }: CrawlSummary) {
  const { id, status, error_code, error_message, payload, fetched, failed, skipped, redirected } = view;
  return {
    job: id,
    url: payload.url,
    status,
    ...(error_code && { error: error_code, message: error_message }),
    ...{ fetched, failed, skipped, redirected, pending: view.total_pending, not_crawled: view.not_crawled },
    ...(view.baseline && { baseline: view.baseline, changes: changesOf(view) }),
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
