import { crawlOptions, HoldfastError, type JobRequest, jobKinds, jobRequest } from '@holdfast/contract';
import { Argument, Command, Option } from 'commander';
import { z } from 'zod';
import { jobView } from '../../api/jobs/job-view.ts';
import { asCalled } from '../../base/process/installation.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { findWait } from '../../ops/jobs/find-waits.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { concealSecrets, splitSecrets } from '../../queue/profiles/unnamed-profile.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { formatWait } from '../format-values.ts';
import { readJsonObject, wholeNumber } from '../option-values.ts';
import { checkPolicyOptions } from '../policies/policy-options.ts';
import { withDatabase } from '../with-database.ts';

interface CreateOptions {
  payload?: string;
  priority?: number;
  runAt?: string;
  dedupeKey?: string;
  idempotencyKey?: string;
  maxRetries?: number;
  timeoutSeconds?: number;
  executor?: 'builtin' | 'bot';
  json?: true;
}

export const createJobCommand = new Command('create')
  .description('create a job; a worker (`holdfast up`, `holdfast worker`) or a bot runs it')
  .addArgument(new Argument('<kind>', 'kind of job').choices(jobKinds))
  .argument('[url]', 'site to crawl, or page to visit')
  .option('--payload <json>', 'more fields of the payload, as a JSON object; --help lists them')
  .option('--priority <number>', 'higher runs first, -1000 to 1000', wholeNumber)
  .option('--run-at <time>', 'start no earlier than this time, such as 2030-01-31T08:00:00Z')
  .option('--dedupe-key <key>', 'return the live job with this key, if there is one')
  .option('--idempotency-key <key>', 'create nothing if a job with this key exists')
  .option('--max-retries <number>', 'retries after the first run', wholeNumber)
  .option('--timeout-seconds <number>', 'hard deadline of one run', wholeNumber)
  .addOption(new Option('--executor <name>', 'who runs a visit').choices(['builtin', 'bot']))
  .option('--json', 'print JSON')
  .addHelpText('after', crawlFieldsText)
  .action(
    async (kind: JobRequest['kind'], url: string | undefined, options: CreateOptions, self: Command) => {
      const request = readJobRequest(kind, url, options);
      await withDatabase(self, async ({ database: { pool }, configuration, actor }) => {
        const store = new SecretStore(new SecretKeys(configuration));
        const payload = await concealSecrets(pool, store, 'local', request.payload);
        const { job, outcome } = await enqueueJob(pool, { ...request, payload } as JobRequest, actor);
        if (outcome === 'created') await new Notifier(pool).notify('work');
        if (options.json) console.log(JSON.stringify({ ...jobView(job), outcome }));
        else
          console.log(
            outcome === 'created' ? `created job ${job.id}` : `job ${job.id} already exists (${outcome})`,
          );
        // On standard error, so that programs which read the output do not see it.
        const waiting = await findWait(pool, job);
        if (waiting) console.error(asCalled(formatWait(waiting)));
      });
    },
  );

function readJobRequest(
  kind: JobRequest['kind'],
  url: string | undefined,
  options: CreateOptions,
): JobRequest {
  const { payload } = options;
  const request = {
    kind,
    payload: {
      ...(url !== undefined && { url }),
      ...(payload !== undefined && readJsonObject(payload, '--payload', '{"max_depth": 2}')),
    },
    priority: options.priority,
    run_at: options.runAt,
    dedupe_key: options.dedupeKey,
    idempotency_key: options.idempotencyKey,
    max_retries: options.maxRetries,
    timeout_seconds: options.timeoutSeconds,
    executor: options.executor,
  };
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  if (kind === 'collect' && !('intake_id' in request.payload)) {
    throw new HoldfastError('bad_request', 'a collect job needs an intake', {
      hint: 'Create collect jobs with: holdfast intakes enqueue ID',
    });
  }
  if (kind !== 'collect' && !('url' in request.payload)) {
    throw new HoldfastError('bad_request', 'the URL is missing', {
      hint: `For example: holdfast jobs create ${kind} https://example.com`,
    });
  }
  const { payload: stored } = splitSecrets(request.payload);
  checkFlags(jobRequest, { ...given, payload: stored }, nameOf);
  if (kind !== 'collect') checkPolicyOptions(kind, request.payload, 'in --payload');
  return given as unknown as JobRequest;
}

function nameOf(field: string): string {
  if (field === 'payload.url') return 'the URL';
  return field.startsWith('payload.') ? `${field.slice('payload.'.length)} in --payload` : flagOf(field);
}

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

/** Help on the payload of a crawl, from the contract. */
function crawlFieldsText(): string {
  const { properties = {} } = z.toJSONSchema(crawlOptions, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(properties as Record<string, Field>).filter(([name]) => name !== 'url');
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.map(([name, field]) => `  ${name.padEnd(width)}  ${describeField(field)}`);
  return `\nPayload fields of a crawl, besides the URL:\n${lines.join('\n')}`;
}

function describeField({ type, description, enum: choices, default: standard }: Field): string {
  const isSet = standard !== undefined && JSON.stringify(standard) !== '[]';
  return [
    description ?? choices?.join(', ') ?? type,
    isSet && `(default: ${typeof standard === 'string' ? standard : JSON.stringify(standard)})`,
  ]
    .filter(Boolean)
    .join(' ');
}
