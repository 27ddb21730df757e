import { type PolicyChange, type PolicyKind, policyOptions } from '@holdfast/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkFlags, flagOf } from '../check-flags.ts';
import { readFrequency, readJsonObject, wholeNumber } from '../option-values.ts';

/** Options of `policies create` and `policies update`, by commander's names. */
export interface PolicyFlags {
  url?: string;
  frequency?: number;
  priority?: number;
  executor?: 'builtin' | 'bot';
  options?: string;
  maxRetries?: number;
  retryBackoffMinutes?: number;
  timeoutMinutes?: number | null;
  lockTtlSeconds?: number;
  nextRunAt?: string;
}

export function addPolicyOptions(command: Command): Command {
  return command
    .option('--frequency <time>', 'how often: 30min, 6h, 7d, 2w; a plain number is in hours', readFrequency)
    .option('--priority <number>', 'priority of its jobs; higher runs first, -1000 to 1000', wholeNumber)
    .option('--options <json>', 'more fields of the payload of its jobs, such as {"max_depth": 2}')
    .option('--next-run-at <time>', 'next run, such as 2030-01-31T08:00:00Z')
    .option('--max-retries <number>', 'retries of a job after its first run', wholeNumber)
    .option(
      '--retry-backoff-minutes <number>',
      'delay after a failure; doubles with each further one',
      wholeNumber,
    )
    .option(
      '--timeout-minutes <number>',
      'hard deadline of one run; none for a crawl without a deadline',
      minutesOrNone,
    )
    .addOption(new Option('--executor <name>', 'who runs its visits').choices(['builtin', 'bot']))
    .option('--lock-ttl-seconds <number>', 'lease of a bot that pulls its visits', wholeNumber);
}

/** Only the given fields: defaults come from the contract, and an update leaves the rest alone. */
export function readPolicy(flags: PolicyFlags): PolicyChange {
  const fields = {
    url: flags.url,
    frequency_hours: flags.frequency,
    priority: flags.priority,
    executor: flags.executor,
    options:
      flags.options === undefined
        ? undefined
        : readJsonObject(flags.options, '--options', '{"max_depth": 2}'),
    max_retries: flags.maxRetries,
    retry_backoff_minutes: flags.retryBackoffMinutes,
    timeout_minutes: flags.timeoutMinutes,
    lock_ttl_seconds: flags.lockTtlSeconds,
    next_run_at: flags.nextRunAt,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `options.max_depth` is `max_depth of --options`. */
export function policyFlagOf(field: string): string {
  const [name = '', ...inner] = field.split('.');
  if (name === '' || name === 'url') return name && 'the URL';
  const flag = flagOf(name === 'frequency_hours' ? 'frequency' : name);
  return inner.length > 0 ? `${inner.join('.')} of ${flag}` : flag;
}

/** Refuses unknown options of a policy or job, as the API does: a misspelt one would be stored and ignored. */
export function checkPolicyOptions(
  kind: PolicyKind,
  options: Readonly<Record<string, unknown>>,
  where: string,
): void {
  // The URL is an argument of its own; needs_private is set by Holdfast.
  const { url: _url, needs_private: _private, ...rest } = options;
  checkFlags(policyOptions[kind], rest, (field) => `${field} ${where}`);
}

function minutesOrNone(text: string): number | null {
  if (text === 'none') return null;
  try {
    return wholeNumber(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number of minutes, or none.');
  }
}
