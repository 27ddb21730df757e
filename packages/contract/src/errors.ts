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
    hint: 'Correct the named field and try again.',
  },
  sql_refused: {
    retry: 'never',
    http: 400,
    exit: exitCodes.badInput,
    message: 'The database rejected the statement',
    hint: 'Correct the statement and try again.',
  },
  request_too_large: {
    retry: 'never',
    http: 413,
    exit: exitCodes.badInput,
    message: 'The request is too large',
    hint: 'Send less per request; docs/api.md lists the limits.',
  },
  unsupported_media_type: {
    retry: 'never',
    http: 415,
    exit: exitCodes.badInput,
    message: 'The body must be JSON',
    hint: 'Send JSON with the header Content-Type: application/json.',
  },
  route_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Route not found',
    hint: 'See /api/docs for all routes.',
  },
  method_not_allowed: {
    retry: 'never',
    http: 405,
    exit: exitCodes.badInput,
    message: 'The route does not support this method',
    hint: 'Use one of the methods in the Allow header.',
  },
  key_missing: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'An API key is required',
    hint: 'Send it as Authorization: Bearer hf_…; create one with `holdfast keys create --name NAME`.',
  },
  key_invalid: {
    retry: 'never',
    http: 401,
    exit: exitCodes.failure,
    message: 'The API key is not valid',
    hint: 'Check it for missing characters, or create a new one with `holdfast keys create --name NAME`.',
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
    message: 'This link was already used or has expired',
    hint: 'Sign in with an API key, or restart `holdfast up` for a new link.',
  },
  csrf_refused: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The request does not come from the console',
    hint: 'Reload the page and try again. Programs must send an API key instead of a cookie.',
  },
  scope_missing: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The API key does not allow this',
    hint: 'Use a key with the named scope; create one with `holdfast keys create --name NAME --scope SCOPE`.',
  },
  quota_exceeded: {
    retry: 'later',
    http: 429,
    exit: exitCodes.failure,
    message: 'The quota of the API key is used up',
    hint: 'Wait for the time in Retry-After, or request a larger quota.',
  },
  key_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'API key not found',
    hint: 'Check the id with `holdfast keys list`.',
  },
  job_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Job not found',
    hint: 'Check the id with `holdfast jobs list`. Finished jobs are deleted after the retention time.',
  },
  proxy_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Proxy not found',
    hint: 'Check the name with `holdfast proxies list`, or create it with `holdfast proxies add NAME URL`.',
  },
  proxy_in_use: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The proxy is in use',
    hint: 'Remove it from its sources first: `holdfast sources set ID --proxy none`.',
  },
  page_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Page not found',
    hint: 'Look it up in the pages of its job. Raw HTML is stored only by crawls with `store_html`.',
  },
  source_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Source not found',
    hint: 'Check the id with `holdfast sources list`.',
  },
  action_not_allowed: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: "The job's status does not allow this",
    hint: 'See `allowed_actions` of the job for the actions available now.',
  },
  nothing_to_retry: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'None of the selected pages can be retried',
    hint: '`holdfast pages errors JOB` lists failed and skipped pages with reasons.',
  },
  live_job_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'Another live job does the same work',
    hint: 'Wait for the named job to finish, or cancel it.',
  },
  idempotency_conflict: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'This idempotency key was used for a different request',
    hint: 'Use a new key for a new request, or repeat the original request unchanged.',
  },
  policy_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Policy not found',
    hint: 'Check the id with `holdfast policies list`.',
  },
  policy_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'A policy for this already exists',
    hint: 'Change the named policy instead: an owner has one per kind and URL.',
  },
  policy_disabled: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The policy is disabled',
    hint: 'Enable it first. If it is due, it runs at once.',
  },
  bot_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Bot not found',
    hint: 'Check its name with `holdfast bots list`. A bot is registered by its first pull.',
  },
  bot_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'A bot with this name already exists',
    hint: 'Change it, or choose another name. `holdfast keys create --bot-id` creates another token for it.',
  },
  bot_not_allowed: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The bot is not allowed to do this',
    hint: "Use this bot's token. `holdfast bots enable` enables a disabled bot.",
  },
  job_not_locked: {
    retry: 'never',
    http: 400,
    exit: exitCodes.conflict,
    message: 'Nobody holds this job',
    hint: 'Drop the job: it was already submitted, or this bot never pulled it. Pull jobs before you submit.',
  },
  not_assigned: {
    retry: 'never',
    http: 403,
    exit: exitCodes.conflict,
    message: 'This job is not assigned to you',
    hint: 'Drop the job: its lock expired and another bot has it, or the lease_token was never valid for it.',
  },
  lock_expired: {
    retry: 'never',
    http: 400,
    exit: exitCodes.conflict,
    message: 'The lock on this job has expired; nothing was written',
    hint: 'Drop the job. Send heartbeats while you work, or set a longer lock_ttl_seconds.',
  },
  bot_failed: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The bot reported a failure',
    hint: "The job is retried at once while retries remain. Its timeline has the bot's message.",
  },
  result_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Result not found',
    hint: 'Check the id with `holdfast results list`.',
  },
  intake_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Intake not found',
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
    message: 'Price point not found',
    hint: 'Look it up in the price points of its intake.',
  },
  valuation_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'The intake has no valuation',
    hint: 'Enqueue the intake or import price points; the first comparable price creates a valuation.',
  },
  webhook_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Webhook not found',
    hint: 'Check the id with `holdfast webhooks list`.',
  },
  webhook_disabled: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The webhook is disabled',
    hint: 'Enable it first. Waiting deliveries are then sent.',
  },
  too_many_webhooks: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The owner has the maximum number of webhooks',
    hint: 'Remove one, or subscribe an existing one to more events.',
  },
  delivery_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Delivery not found',
    hint: 'Check the id with `holdfast webhooks deliveries`. Deliveries are deleted after the retention time.',
  },
  adapter_missing: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: 'The source has no adapter for prices',
    hint: 'Set one with `holdfast sources set ID --adapter …`; see docs/collection.md.',
  },
  adapter_invalid: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: "The source's adapter is not configured correctly",
    hint: 'Correct the named field (`holdfast sources set ID --config …`) or the named setting of the worker.',
  },
  adapter_secret_missing: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'A secret of the adapter is missing',
    hint: 'Set the named environment variable for the worker, restart it, and retry the job.',
  },
  adapter_failed: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The adapter module failed',
    hint: 'Fix the module in the adapters folder, then retry the job.',
  },
  answer_invalid: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: "The source's response could not be parsed",
    hint: "Check whether the source changed its response format, and adjust the adapter's configuration.",
  },
  source_refused: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The source refused the request',
    hint: 'Check the URL, headers and credentials of its adapter.',
  },
  lease_lost: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The lease on this job was lost; nothing was written',
    hint: 'Stop working on the job: another holder or an operator took it.',
  },
  expired_by_request: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: "An operator ended the job's lease",
    hint: 'Retry the job to continue from its checkpoint. It does not run again by itself.',
  },

  // Runs
  browser_unavailable: {
    retry: 'later',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'No browser can be started here',
    hint: 'Run `holdfast doctor` to see why and how to fix it. To crawl without a browser, use render: never.',
  },
  render_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The browser could not render the page',
    hint: 'The page is retried automatically. If it keeps failing, render it alone with `holdfast crawl URL --limit 1 --render always`.',
  },
  render_timeout: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The page did not render in time',
    hint: 'Raise page_timeout_seconds, or lower wait_for.',
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
    hint: 'Read the log of that run. The job is retried while retries remain. Deaths before the first request count against the worker: `holdfast doctor` names sick workers.',
  },
  runner_hung: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The runner process hung and was killed',
    hint: 'Read the log of that run. The job is retried while retries remain.',
  },
  runner_out_of_memory: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The runner process exceeded its memory limit and was killed',
    hint: 'Raise HOLDFAST_RUNNER_MEMORY_MB, or lower the size limit for pages.',
  },
  run_timed_out: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'The run exceeded its time limit and was stopped',
    hint: "Raise the job's timeout_seconds.",
  },
  robots_unreachable: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'robots.txt is unreachable; crawling is on hold',
    hint: 'The job is retried after a backoff.',
  },
  robots_disallowed: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'robots.txt forbids this URL',
    hint: "Ask the site's owner, or use --ignore-robots on your own site.",
  },
  page_refused: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site refused the page (4xx)',
    hint: 'Check the URL and whether it needs a login.',
  },
  blocked: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site blocked the request',
    hint: "Ask the site's owner for access, or use their API. A site may accept another proxy or a browser: see docs/guides/proxies.md.",
  },
  product_not_found: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'No product found: the page has neither a price nor availability',
    hint: 'Check that the URL is a product page. Prices added by scripts need a bot with a browser.',
  },
  nothing_to_fetch: {
    retry: 'never',
    http: 422,
    exit: exitCodes.failure,
    message: 'There was nothing to fetch',
    hint: "Check the job's skipped URLs, scope, patterns and start URL.",
  },
  worker_timed_out: {
    retry: 'now',
    http: 500,
    exit: exitCodes.failure,
    message: 'Job crashed and exceeded max retries',
    hint: 'The holder stopped renewing the lease in every run. Check the timeline, then run `holdfast jobs retry`.',
  },
  payload_invalid: {
    retry: 'never',
    http: 422,
    exit: exitCodes.badInput,
    message: "The job's payload is not valid",
    hint: 'Create the job again with a valid payload. `holdfast jobs create` and the API validate it at once; SQL does not.',
  },
  run_failed: {
    retry: 'never',
    http: 500,
    exit: exitCodes.failure,
    message: 'The run failed',
    hint: "Check the job's timeline for the cause.",
  },
  fetch_timed_out: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The site did not respond in time',
    hint: 'The job is retried after a backoff.',
  },
  connection_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site could not be reached',
    hint: 'The job is retried after a backoff. If it persists, check the host name.',
  },
  rate_limited: {
    retry: 'later',
    http: 429,
    exit: exitCodes.failure,
    message: 'Too many requests',
    hint: 'Wait for the time in Retry-After.',
  },
  site_error: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site answered with a server error (5xx)',
    hint: 'The job is retried after a backoff.',
  },

  proxy_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The proxy failed',
    hint: 'Holdfast switches to another server of the proxy, if there is one. `holdfast proxies check NAME` tests each of them.',
  },

  // Fetching
  url_invalid: {
    retry: 'never',
    http: 400,
    exit: exitCodes.badInput,
    message: 'The URL cannot be fetched',
    hint: 'Use an absolute http or https URL.',
  },
  address_forbidden: {
    retry: 'never',
    http: 403,
    exit: exitCodes.failure,
    message: 'The address is not allowed',
    hint: 'Only public addresses are fetched. To allow an origin of your own network, set HOLDFAST_ALLOW_PRIVATE.',
  },
  dns_failed: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The host name could not be resolved',
    hint: 'Check the spelling of the host name. The job is retried after a backoff.',
  },
  tls_failed: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The TLS connection to the site failed',
    hint: "The site's certificate or TLS configuration is invalid; open the URL in a browser for details.",
  },
  response_invalid: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site did not respond with valid HTTP',
    hint: 'Check the scheme and port of the URL.',
  },
  page_unreadable: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The page could not be parsed',
    hint: 'Its content crashed the parser or took too long. The crawl continued without it.',
  },
  document_encrypted: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The document is encrypted',
    hint: 'Holdfast cannot open documents that need a password. Provide a copy without one.',
  },
  document_damaged: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The document is damaged',
    hint: 'Open the URL in a browser: the file may be incomplete, or of another type than declared.',
  },
  content_encoding_bad: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The response could not be decompressed',
    hint: "The site's content encoding is wrong or not supported.",
  },
  body_too_large: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'The response is too large',
    hint: 'Raise the size limit if you trust the site.',
  },
  body_too_slow: {
    retry: 'later',
    http: 504,
    exit: exitCodes.failure,
    message: 'The response was too slow',
    hint: 'The job is retried after a backoff.',
  },
  too_many_redirects: {
    retry: 'never',
    http: 502,
    exit: exitCodes.failure,
    message: 'Too many redirects',
    hint: 'Open the URL in a browser and use its target instead.',
  },

  // Database
  database_unavailable: {
    retry: 'later',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The database does not answer',
    hint: 'Check DATABASE_URL and that PostgreSQL is running. Long-running processes reconnect by themselves.',
  },
  database_too_old: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'PostgreSQL 14 or newer is required',
    hint: 'Upgrade the server at DATABASE_URL, or unset DATABASE_URL to use the embedded one.',
  },
  data_folder_bad: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The data folder cannot be used',
    hint: 'Make the folder writable, free disk space, or set another folder with HOLDFAST_DATA.',
  },
  data_version_mismatch: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The data folder belongs to another version of PostgreSQL',
    hint: 'Use the Holdfast version that created it, or set another folder with HOLDFAST_DATA.',
  },
  database_port_taken: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The port of the embedded database is taken',
    hint: 'Free the port, or unset HOLDFAST_DATABASE_PORT to use any free one.',
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
    hint: 'Read the end of its log, which the message names.',
  },
  migration_changed: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'A migration was changed after it was applied',
    hint: 'Restore the original file and add a new migration instead.',
  },
  migration_failed: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'A migration failed; the database is unchanged',
    hint: 'Fix the cause in the message, then run `holdfast migrate` again.',
  },
  schema_newer: {
    retry: 'fatal',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'The database was migrated by a newer Holdfast',
    hint: 'Upgrade this installation to that version or newer.',
  },

  // Identity
  identity_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'The crawler has an identity already',
    hint: 'Change its key with `holdfast identity rotate`, or remove it with `holdfast identity remove`.',
  },
  identity_missing: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'The crawler has no identity',
    hint: 'Create one with `holdfast identity create`; see docs/guides/identity.md.',
  },
  // Secrets
  profile_not_found: {
    retry: 'never',
    http: 404,
    exit: exitCodes.notFound,
    message: 'Profile not found',
    hint: 'Check the name with `holdfast profiles list`. Only its owner can use a profile.',
  },
  profile_exists: {
    retry: 'never',
    http: 409,
    exit: exitCodes.conflict,
    message: 'A profile with this name exists',
    hint: 'Replace its values with `holdfast profiles set NAME`, or choose another name.',
  },
  sign_in_expired: {
    retry: 'later',
    http: 502,
    exit: exitCodes.failure,
    message: 'The site asks to sign in',
    hint: 'Sign in again, store the new values with `holdfast profiles set NAME`, then continue the job with `holdfast jobs retry ID`.',
  },
  secret_key_missing: {
    retry: 'later',
    http: 503,
    exit: exitCodes.unavailable,
    message: 'This machine does not have the secret key',
    hint: 'Set HOLDFAST_SECRET_KEY to the key of the machine where the secrets were stored, or copy secret.key from its data folder. If the key is lost, delete the secrets and store them again.',
  },
  secret_damaged: {
    retry: 'never',
    http: 500,
    exit: exitCodes.failure,
    message: 'A stored secret cannot be decrypted',
    hint: 'Delete it and store it again.',
  },

  // Process
  config_invalid: {
    retry: 'fatal',
    http: 500,
    exit: exitCodes.badInput,
    message: 'The configuration is not valid',
    hint: 'Correct the named setting; docs/configuration.md lists all settings.',
  },
  address_taken: {
    retry: 'fatal',
    http: 500,
    exit: exitCodes.unavailable,
    message: 'The listen address is already in use',
    hint: 'Stop the other program, or choose another port with --port or HOLDFAST_PORT (0 for any free port).',
  },
  output_unusable: {
    retry: 'never',
    http: 500,
    exit: exitCodes.badInput,
    message: 'The output cannot be written',
    hint: 'Choose another file or folder with --out.',
  },
  output_failed: {
    retry: 'never',
    http: 500,
    exit: exitCodes.failure,
    message: 'The output could not be completed',
    hint: 'All fetched pages are stored. Free disk space or choose another place with --out, then run the command again.',
  },
  internal_error: {
    retry: 'later',
    http: 500,
    exit: exitCodes.failure,
    message: 'Internal error',
    hint: 'Report it with the log lines of this time.',
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
