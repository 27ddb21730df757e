import {
  type ErrorCode,
  errors,
  isLive,
  itemOf,
  type Job,
  type JobFilter,
  jobTitle,
  type ListedResult,
  type Waiting,
} from '@holdfast/contract';
import { asCalled } from '../../base/process/installation.ts';
import type { JobDetails } from '../../ops/jobs/job-details.ts';
import type { JobEvent } from '../../queue/jobs/find-jobs.ts';
import { commandNameOf } from '../check-flags.ts';
import { formatAgo, formatMoment, formatWait } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { printFields, printTable } from '../print-table.ts';
import { shorten } from '../terminal-text.ts';

type ShownDetails = JobDetails & { readonly result: ListedResult | null };

type ListedJob = Omit<Job, 'blocked_by'> & { readonly waiting: Waiting | null };

export function printJobs(
  jobs: readonly ListedJob[],
  { status, kind, locked_after, locked_before, limit = 50 }: JobFilter,
): void {
  if (jobs.length === 0) {
    console.log(
      status || kind || locked_after || locked_before
        ? 'No matching jobs.'
        : asCalled('No jobs yet. Create one: holdfast jobs create crawl https://example.com'),
    );
    return;
  }
  printTable(
    ['ID', 'KIND', 'STATUS', 'PRIORITY', 'DONE', 'RETRIES', 'REASON', 'CREATED', 'WORKER', 'URL OR ITEM'],
    jobs.map((job) => [
      job.id,
      job.kind,
      statusOf(job),
      job.priority,
      `${job.progress_percentage} %`,
      `${job.retry_count}/${job.max_retries}`,
      reasonOf(job),
      formatAgo(job.created_at),
      shorten(job.worker_id ?? '', 24),
      shorten(jobTitle(job), 60),
    ]),
  );
  if (jobs.length === limit) printMore(jobs.at(-1)?.id);
}

export function printJob(job: Job, details: ShownDetails, events: readonly JobEvent[]): void {
  printFields([
    ['job', job.id],
    ['kind', job.executor === 'bot' ? `${job.kind}, run by bots` : job.kind],
    job.kind === 'collect' ? ['item', itemOf(job.payload)] : ['url', jobTitle(job)],
    ['source', job.source_id],
    ['status', statusOf(job)],
    ['waits', details.waiting && asCalled(formatWait(details.waiting))],
    ['progress', `${job.progress_percentage} %`],
    ['pages', pagesOf(details)],
    ['off scope', offScopeOf(details)],
    ['result', resultOf(job, details)],
    ['export', details.crawl && details.crawl.fetched > 0 && asCalled(`holdfast export ${job.id}`)],
    ['priority', String(job.priority)],
    ['retries', `${job.retry_count} of ${job.max_retries}`],
    ['error', hasError(job) && `${job.error_code}: ${job.error_message}`],
    ['last run', lastRunOf(job, details)],
    ['advice', adviceOf(job)],
    ['rerun of', job.rerun_of && `job ${job.rerun_of}`],
    ['owner', job.user_id],
    ['created', formatMoment(job.created_at)],
    ['not before', job.status === 'pending' && formatMoment(job.run_at)],
    ['next retry', formatMoment(job.next_retry_at)],
    ['started', formatMoment(job.started_at)],
    ['finished', formatMoment(job.completed_at)],
    ['held by', job.lease_expires_at && job.worker_id],
    ['lease ends', formatMoment(job.lease_expires_at)],
    ['payload', JSON.stringify(job.payload)],
    [
      'you can',
      [...details.actions.map(commandNameOf), ...(isLive(job.status) ? [] : ['delete'])].join(', '),
    ],
  ]);
  console.log();
  printEvents(events);
}

/** What a job waits for, or why it failed. */
function reasonOf(job: ListedJob): string {
  const { waiting, error_code, error_message } = job;
  if (waiting) {
    const { text, until } = waiting;
    return until ? `${shorten(text, 64)} (${formatAgo(until)})` : shorten(text, 76);
  }
  return hasError(job) ? shorten(`${error_code}: ${error_message}`, 76) : '';
}

/** Errors that the job recovers from by itself are in its timeline only. */
function hasError({ status, error_message }: Pick<Job, 'status' | 'error_message'>): boolean {
  return error_message !== null && ['failed', 'retryable', 'expired'].includes(status);
}

/** Why the last run ended, if that was not the fault of the job. */
function lastRunOf({ status, error_message, worker_id }: Job, { failedStart }: ShownDetails): string | null {
  if (status !== 'pending' && status !== 'processing') return null;
  if (failedStart) {
    const now = status === 'processing' ? `it runs on ${worker_id} now` : 'it continues by itself';
    return asCalled(
      `its runner died before the first request on worker ${failedStart.worker_id}; no retry was lost, and ${now}. Run holdfast doctor to see what is wrong with that worker`,
    );
  }
  return status === 'pending' && error_message ? `${error_message}; it continues by itself` : null;
}

function adviceOf(job: Job): string | undefined {
  const { id, status, error_code } = job;
  if (!hasError(job)) return undefined;
  const retry = `holdfast jobs retry ${id}`;
  if (status === 'failed' && error_code === 'runner_crashed')
    return asCalled(`Run holdfast doctor to see whether a worker is sick. Then run the job again: ${retry}`);
  const known = errors[error_code as ErrorCode];
  if (status === 'failed' && known && known.retry !== 'never')
    return asCalled(`Every attempt failed this way. Fix the cause, then run it again: ${retry}`);
  return known?.hint;
}

export function printEvents(events: readonly JobEvent[]): void {
  printTable(
    ['#', 'AT', 'TRANSITION', 'FROM', 'TO', 'FENCE', 'BY', 'REASON'],
    events.map((event) => [
      event.event_no,
      event.at.toISOString(),
      event.transition,
      event.from_status ?? '',
      event.to_status,
      event.fence,
      event.actor,
      event.reason ?? '',
    ]),
  );
}

function statusOf({ status, requested_action }: Pick<Job, 'status' | 'requested_action'>): string {
  return status === 'processing' && requested_action ? `processing (asked to ${requested_action})` : status;
}

function pagesOf({ crawl }: ShownDetails): string | null {
  if (!crawl) return null;
  const { fetched, failed, skipped, redirected, total_pending, not_crawled } = crawl;
  const counts = [
    `${fetched} fetched`,
    `${failed} failed`,
    `${skipped} skipped`,
    redirected > 0 && `${redirected} redirected`,
    `${total_pending} pending`,
    not_crawled > 0 && `${not_crawled} left out by a limit`,
  ];
  return counts.filter(Boolean).join(', ');
}

/** Links that the crawl did not follow, by reason. */
function offScopeOf({ crawl }: ShownDetails): string | null {
  const reasons = Object.entries(crawl?.off_scope ?? {}).sort(([, a], [, b]) => b - a);
  return reasons.map(([reason, count]) => `${count} ${reason}`).join(', ') || null;
}

/** The result, or the command that shows it. */
function resultOf({ id, kind, status, payload }: Job, { crawl, result }: ShownDetails): string | null {
  if (kind === 'crawl') return crawl && crawl.fetched > 0 ? asCalled(`holdfast pages list ${id}`) : null;
  if (kind === 'collect')
    return status === 'completed' ? asCalled(`holdfast intakes show ${payload.intake_id}`) : null;
  if (!result) return null;
  const { price, currency, in_stock, title } = result;
  const found = [
    price === null ? 'no price' : `${price} ${currency}`,
    in_stock !== null && (in_stock ? 'in stock' : 'not in stock'),
    title && shorten(title, 60),
  ];
  return `${found.filter(Boolean).join(', ')} (${asCalled(`holdfast results list --job ${id}`)})`;
}
