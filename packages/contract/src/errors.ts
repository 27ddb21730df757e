/**
 * Every error of Holdfast, stated once: code, what the caller should do (`retry`), HTTP status, exit code of the
 * command line, message. docs/errors.md is generated from this table.
 *
 * retry:  now    the same call may succeed at once
 *         later  wait (Retry-After, backoff) and repeat; a job becomes retryable
 *         never  the call or the job is wrong as it is; a job fails
 *         fatal  the process cannot go on; an operator must act
 */
export const retryClasses = ['now', 'later', 'never', 'fatal'] as const;
export type RetryClass = (typeof retryClasses)[number];

interface ErrorEntry {
  readonly retry: RetryClass;
  readonly http: number;
  readonly exit: number;
  readonly message: string;
  /** What to do about it, in the imperative. */
  readonly hint: string;
}

/** Exit codes of the command line; sysexits.h was considered and is not what people check for in scripts. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  badInput: 2,
  notFound: 3,
  conflict: 4,
  unavailable: 5,
} as const;

export const errors = {
  // Calls
  bad_request: {
    retry: 'never',
    http: 400,
    exit: exitCodes.badInput,
    message: 'The request is not valid',
    hint: 'Correct what is named, and try again.',
  },
  sql_refused: {
    retry: 'never',
    http: 400,
    exit: exitCodes.badInput,
    message: 'The database refuses the statement',
    hint: 'Correct the statement, and try again.',
  },
  request_too_large: {
    retry: 'never',
    http: 413,
    exit: exitCodes.badInput,
    message: 'The request is too large',
    hint: 'Send less at a time; docs/api.md names the limits.',
  },
  unsupported_media_type: {
    retry: 'never',
    http: 415,
    exit: exitCodes.badInput,
    message: 'The body must be JSON',
    hint: 'Send JSON, with the header Content-Type: application/json.',
  },
  route_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is nothing at this address',
    hint: 'See /api/docs for what there is.',
  },
  method_not_allowed: {
    retry: 'never',
    http: 405,
    exit: exitCodes.badInput,
    message: 'This address does not take that method',
    hint: 'Use one of the methods in the Allow header.',
  },
  key_missing: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'An API key is needed',
    hint: 'Send it as Authorization: Bearer hf_…; `holdfast keys create --name NAME` makes one.',
  },
  key_invalid: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'The API key is not valid',
    hint: 'Check it for missing characters, or make another with `holdfast keys create --name NAME`.',
  },
  session_ended: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'You are signed out',
    hint: 'Sign in again.',
  },
  link_used: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'This link was used before, or is older than an hour',
    hint: 'Sign in with an API key, or start `holdfast up` again for another link.',
  },
  csrf_refused: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The request does not come from the console',
    hint: 'Reload the page and try again; programs send an API key instead of a cookie.',
  },
  scope_missing: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The API key does not allow this',
    hint: 'Use a key that has the named scope; `holdfast keys create --name NAME --scope SCOPE` makes one.',
  },
  quota_exceeded: {
    retry: 'later',
    http: 429,
    exit: exitCodes.failure,
    message: 'The quota of the API key is used up',
    hint: 'Wait as long as Retry-After says, or ask for a larger quota.',
  },
  key_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such API key',
    hint: 'Check the id with `holdfast keys list`.',
  },
  job_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such job',
    hint: 'Check the id with `holdfast jobs list`; jobs that have ended can be deleted, and are pruned after the retention time.',
  },
  page_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such page',
    hint: 'Look it up among the pages of its job; raw HTML is stored only by crawls that ask for it.',
  },
  source_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such source',
    hint: 'Check the id with `holdfast sources list`.',
  },
  action_not_allowed: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The job is in a status that does not allow this',
    hint: 'See `allowed_actions` of the job for what can be done now.',
  },
  nothing_to_retry: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'None of the chosen pages can be tried again',
    hint: 'See `holdfast pages errors JOB` for what failed or was skipped, and why.',
  },
  live_job_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'Another live job already does this work',
    hint: 'Wait for the named job to finish, or cancel it.',
  },
  idempotency_conflict: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'This idempotency key was used for a different request',
    hint: 'Use a new key for a new request; repeat a request unchanged.',
  },
  policy_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such policy',
    hint: 'Check the id with `holdfast policies list`.',
  },
  policy_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'There is a policy for this already',
    hint: 'Change the named policy instead; an owner has one per kind and URL.',
  },
  policy_disabled: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The policy is disabled',
    hint: 'Enable it first; one that is due then runs at once.',
  },
  bot_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such bot',
    hint: 'Check its name with `holdfast bots list`; a bot is there after its first pull.',
  },
  bot_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'There is a bot of this name already',
    hint: 'Change it instead, or choose another name; `holdfast keys create --bot-id` makes another token for it.',
  },
  bot_not_allowed: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'This bot may not do that',
    hint: 'Use the token of this bot; `holdfast bots enable` lets a disabled one in again.',
  },
  job_not_locked: {
    retry: 'never',
    http: 400,
    exit: exitCodes.conflict,
    message: 'Nobody holds this job',
    hint: 'Drop the job: it was submitted, or it was never pulled by this bot. Pull jobs before you submit.',
  },
  not_assigned: {
    retry: 'never',
    http: 403,
    exit: exitCodes.conflict,
    message: 'This job is not assigned to you',
    hint: 'Drop the job: its lock expired and another bot took it, or it was never yours under that lease_token.',
  },
  lock_expired: {
    retry: 'never',
    http: 400,
    exit: exitCodes.conflict,
    message: 'The lock on this job has expired; nothing was written',
    hint: 'Drop the job; send heartbeats while you work, or ask for a longer lock_ttl_seconds.',
  },
  bot_failed: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The bot reported a failure',
    hint: 'The job is tried again at once while retries remain; see its timeline for what the bots said.',
  },
  result_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such result',
    hint: 'Check the id with `holdfast results list`.',
  },
  intake_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such intake',
    hint: 'Check the id with `holdfast intakes list`.',
  },
  intake_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'Another intake has this reference',
    hint: 'Change the named intake, or use another reference.',
  },
  price_point_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such price point',
    hint: 'Look it up among the price points of its intake.',
  },
  valuation_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'The intake has no valuation',
    hint: 'It gets one with its first comparable price; enqueue it, or import price points.',
  },
  webhook_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such webhook',
    hint: 'Check the id with `holdfast webhooks list`.',
  },
  webhook_disabled: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The webhook is disabled',
    hint: 'Enable it first; what was waiting is sent then.',
  },
  too_many_webhooks: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The owner has as many webhooks as one may have',
    hint: 'Remove one that is not needed, or let one of them hear more events.',
  },
  delivery_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'There is no such delivery',
    hint: 'Check the id with `holdfast webhooks deliveries`; they are pruned after the retention time.',
  },
  adapter_missing: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: 'The source cannot be asked for prices',
    hint: 'Give it an adapter that can, with `holdfast sources set ID --adapter …`; docs/collection.md tells how.',
  },
  adapter_invalid: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: 'The adapter of the source is not configured well',
    hint: 'Correct the named field (`holdfast sources set ID --config …`) or the named setting of the worker.',
  },
  adapter_secret_missing: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'A secret that the adapter names is not there',
    hint: 'Set the named environment variable where the worker runs, start it again, and retry the job.',
  },
  adapter_failed: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The adapter module failed',
    hint: 'Correct the module in the folder of adapters, and retry the job.',
  },
  answer_invalid: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The answer of the source cannot be understood',
    hint: 'See whether the source has changed the form of its answers, and adjust the configuration of its adapter.',
  },
  source_refused: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The source refuses the request',
    hint: 'Check the URL, the headers and the credentials of its adapter.',
  },
  lease_lost: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The lease on this job was lost; nothing was written',
    hint: 'Stop working on the job: another holder has it, or an operator took it back.',
  },
  expired_by_request: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The job was taken from its holder by request',
    hint: 'Retry the job to go on from its checkpoint, or leave it: it is not run again by itself.',
  },

  // Runs
  browser_unavailable: {
    retry: 'later',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'No browser can be started here',
    hint: '`holdfast doctor` says why, and how to get one; or use render: never.',
  },
  render_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The browser could not render the page',
    hint: 'The page is tried again by itself. If it keeps failing, render it alone with `holdfast crawl URL --limit 1 --render always`.',
  },
  render_timeout: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The page did not render in time',
    hint: 'Raise page_timeout_seconds, or wait for less.',
  },
  action_failed: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'An action on the page failed',
    hint: 'Check the selector of the action against the page.',
  },
  runner_crashed: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The runner process died',
    hint: 'Look at the log lines of that run; the job is tried again by itself while retries remain. Deaths before the first request are blamed on the worker: `holdfast doctor` says which is sick.',
  },
  runner_hung: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The runner process hung and was ended',
    hint: 'Look at the log lines of that run; the job is tried again by itself while retries remain.',
  },
  runner_out_of_memory: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The runner process needed too much memory and was ended',
    hint: 'Raise HOLDFAST_RUNNER_MEMORY_MB, or lower the size limit of pages.',
  },
  run_timed_out: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The run exceeded its time limit and was ended',
    hint: 'Raise timeout_seconds of the job.',
  },
  robots_unreachable: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'robots.txt is unreachable; crawling is on hold',
    hint: 'The job is tried again after a backoff.',
  },
  robots_disallowed: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'robots.txt forbids it',
    hint: 'Ask the owner of the site, or use --ignore-robots on a site of your own.',
  },
  page_refused: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site refused the page (4xx)',
    hint: 'Check the URL, and whether it needs a login.',
  },
  product_not_found: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'The page offers no product: neither a price nor whether it can be bought was found',
    hint: 'Check that the URL is that of a product page; prices that scripts add later need a bot with a browser.',
  },
  nothing_to_fetch: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'There was nothing to fetch',
    hint: 'See the skipped URLs of the job, and check its scope, its patterns and the seed.',
  },
  worker_timed_out: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'Job crashed and exceeded max retries',
    hint: 'Its holder stopped renewing the lease in every run; see the timeline, then `holdfast jobs retry`.',
  },
  payload_invalid: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: 'The payload of the job is not valid',
    hint: 'Add the job again with a correct payload; `holdfast jobs create` and the API check it at once, SQL does not.',
  },
  run_failed: {
    retry: 'never',
    http: 500,
    exit: exitCodes.failure,
    message: 'The run failed',
    hint: 'See the job and its events for the cause.',
  },
  fetch_timed_out: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The site did not answer in time',
    hint: 'The job is tried again after a backoff.',
  },
  connection_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site could not be reached',
    hint: 'The job is tried again after a backoff; check the host name if it persists.',
  },
  rate_limited: {
    retry: 'later',
    http: 429,
    exit: exitCodes.failure,
    message: 'Too many requests',
    hint: 'Wait as long as Retry-After says.',
  },
  site_error: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site answered with a server error (5xx)',
    hint: 'The job is tried again after a backoff.',
  },

  // Fetching
  url_invalid: {
    retry: 'never',
    http: 400,
    exit: exitCodes.badInput,
    message: 'The URL cannot be fetched',
    hint: 'Give an absolute http or https URL.',
  },
  address_forbidden: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The address is not allowed',
    hint: 'Only public addresses are fetched; name an origin of your own network in HOLDFAST_ALLOW_PRIVATE.',
  },
  dns_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The host name could not be resolved',
    hint: 'Check the spelling of the host name; the job is tried again after a backoff.',
  },
  tls_failed: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'No secure connection to the site could be made',
    hint: 'The certificate or the TLS set-up of the site is at fault; open the URL in a browser to see it.',
  },
  response_invalid: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site did not answer in valid HTTP',
    hint: 'Check scheme and port of the URL.',
  },
  page_unreadable: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The page could not be read',
    hint: 'Its content broke the reader or took it too long; the crawl went on without it.',
  },
  content_encoding_bad: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The content encoding of the answer could not be undone',
    hint: 'The site sends another encoding than it names, or one that is not supported.',
  },
  body_too_large: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The answer is too large',
    hint: 'Raise the size limit if the site can be trusted.',
  },
  body_too_slow: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The answer came too slowly',
    hint: 'The job is tried again after a backoff.',
  },
  too_many_redirects: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'Too many redirects',
    hint: 'Open the URL in a browser to see where it leads; give its target instead.',
  },

  // Database
  database_unavailable: {
    retry: 'later',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The database does not answer',
    hint: 'Check DATABASE_URL and that PostgreSQL runs; long-running processes reconnect by themselves.',
  },
  database_too_old: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'PostgreSQL 14 or newer is needed',
    hint: 'Upgrade the server behind DATABASE_URL, or unset DATABASE_URL to use the embedded one.',
  },
  data_folder_bad: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The data folder cannot be used',
    hint: 'Make the folder writable, free some disk space, or name another one with HOLDFAST_DATA.',
  },
  data_version_mismatch: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The data folder was made by another version of PostgreSQL',
    hint: 'Use the Holdfast version that made it, or name another folder with HOLDFAST_DATA.',
  },
  database_port_taken: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The port of the embedded database is taken',
    hint: 'Free the port, or unset HOLDFAST_DATABASE_PORT to have a free one chosen.',
  },
  embedded_unsupported: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The embedded PostgreSQL cannot run here',
    hint: 'Set DATABASE_URL to a PostgreSQL server (14 or newer).',
  },
  embedded_start_failed: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The embedded PostgreSQL did not start',
    hint: 'Read the last lines of its log, named in the message.',
  },
  migration_changed: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'A migration was changed after it was applied',
    hint: 'Restore the original file, and put the change into a new migration.',
  },
  migration_failed: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'A migration could not be applied; the database was left as it was',
    hint: 'Read the cause in the message, fix it, then run `holdfast migrate` again.',
  },
  schema_newer: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The database was migrated by a newer Holdfast',
    hint: 'Upgrade this installation to at least that version.',
  },

  // Process
  config_invalid: {
    retry: 'fatal',
    http: 500,
    exit: exitCodes.badInput,
    message: 'The configuration is not valid',
    hint: 'Correct the named setting; docs/configuration.md lists them all.',
  },
  address_taken: {
    retry: 'fatal',
    http: 500,
    exit: exitCodes.unavailable,
    message: 'The address to listen on is taken',
    hint: 'Stop the other program, or choose another with --port or HOLDFAST_PORT (0 takes a free one).',
  },
  output_unusable: {
    retry: 'never',
    http: 500,
    exit: exitCodes.badInput,
    message: 'The output cannot be written',
    hint: 'Name another file or folder with --out.',
  },
  output_failed: {
    retry: 'never',
    http: 500,
    exit: exitCodes.failure,
    message: 'The output could not be written to its end',
    hint: 'Every page that was fetched is stored. Make room, or name another place with --out, and give the command again.',
  },
  internal_error: {
    retry: 'later',
    http: 500,
    exit: exitCodes.failure,
    message: 'Something went wrong inside Holdfast',
    hint: 'Please report it with the log lines of this moment.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;
export const errorCodes = Object.keys(errors) as ErrorCode[];

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An error from the table, with what was special about this case. Its text always says what to do. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly hint: string;
  /** For programs: what is wrong with each field, or what stands against it. */
  readonly details: readonly FieldProblem[] | undefined;

  constructor(
    code: ErrorCode,
    detail?: string,
    options?: { cause?: unknown; hint?: string; details?: readonly FieldProblem[] },
  ) {
    super(detail ? `${errors[code].message}: ${detail}` : errors[code].message, { cause: options?.cause });
    this.code = code;
    this.detail = detail;
    this.hint = options?.hint ?? errors[code].hint;
    this.details = options?.details;
  }

  get retry(): RetryClass {
    return errors[this.code].retry;
  }
}
