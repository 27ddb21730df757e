import type { Job, Policy, PolicyFilter } from '@holdfast/contract';
import { asCalled } from '../../base/process/installation.ts';
import { formatAgo, formatFrequency, formatMoment } from '../format-values.ts';
import { printMore } from '../list-options.ts';
import { type Field, printFields, printTable } from '../print-table.ts';
import { shorten } from '../terminal-text.ts';

export function printPolicies(policies: readonly Policy[], { limit = 50, ...filter }: PolicyFilter): void {
  if (policies.length === 0) {
    console.log(
      Object.keys(filter).length > 0
        ? 'No matching policies.'
        : asCalled(
            'No policies yet. Create one: holdfast policies create crawl https://example.com --frequency 7d',
          ),
    );
    return;
  }
  printTable(
    ['ID', 'KIND', 'EVERY', 'PRIORITY', 'STATE', 'NEXT RUN', 'FAILURES', 'URL'],
    policies.map((policy) => [
      policy.id,
      policy.kind,
      formatFrequency(policy.frequency_hours),
      policy.priority,
      policy.enabled ? 'enabled' : 'disabled',
      nextRunOf(policy),
      policy.failure_count,
      shorten(policy.url, 60),
    ]),
  );
  if (policies.length === limit) printMore(policies.at(-1)?.id);
}

export function printPolicy(policy: Policy, lastJob: Job | undefined): void {
  const lines: Field[] = [
    ['policy', policy.id],
    ['kind', policy.executor === 'bot' ? `${policy.kind}, run by bots` : policy.kind],
    ['url', policy.url],
    ['every', formatFrequency(policy.frequency_hours)],
    ['state', policy.enabled ? 'enabled' : 'disabled'],
    ['next run', `${nextRunOf(policy)} (${policy.next_run_at.toISOString()})`],
    ['live job', policy.live_job_id],
    ['last job', lastJob !== undefined && jobText(lastJob)],
    ['last success', formatMoment(policy.last_success_at)],
    ['last failure', formatMoment(policy.last_failed_at)],
    ['failures', `${policy.failure_count} in a row`],
    ['priority', String(policy.priority)],
    ['retries', `${policy.max_retries} per job`],
    ['backoff', `${policy.retry_backoff_minutes} min, doubling up to a day`],
    ['deadline', policy.timeout_minutes === null ? 'none' : `${policy.timeout_minutes} min per run`],
    ['bot lease', policy.executor === 'bot' && `${policy.lock_ttl_seconds} s`],
    ['options', JSON.stringify(policy.options)],
    ['owner', policy.user_id],
    ['created', formatMoment(policy.created_at)],
  ];
  printFields(lines);
}

function jobText({ id, status, error_code, error_message }: Job): string {
  return `${id}, ${status}${error_code === null ? '' : ` (${error_code}: ${error_message})`}`;
}

/** When the scheduler creates its next job, in a few words. */
export function nextRunOf({ enabled, live_job_id, next_run_at }: Policy): string {
  if (live_job_id) return 'after its live job';
  if (!enabled) return 'never';
  return next_run_at.getTime() <= Date.now() ? 'now' : formatAgo(next_run_at);
}
