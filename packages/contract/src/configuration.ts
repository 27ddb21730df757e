import { z } from 'zod';
import { canonicalOrigin } from './canonical-origin.ts';
import { describeIssues } from './describe-issues.ts';
import { HoldfastError } from './errors.ts';
import { parseUrl } from './parse-url.ts';
import { proxyRotations } from './proxy-name.ts';
import { proxyUrlProblem } from './proxy-url.ts';
import { headerText } from './text-fields.ts';

/**
 * Every setting, declared once: environment variable, schema with default, description. `--help`,
 * docs/configuration.md and validation come from here. Settings arrive as text, so every schema starts from text.
 */
interface Setting {
  readonly env: string;
  readonly schema: z.ZodType<unknown, unknown>;
  readonly description: string;
  /** Shown as `set` instead of the value. */
  readonly secret?: true;
}

const wholeNumber = (min: number, max: number, standard: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .or(z.number())
    .default(standard);
const seconds = (standard: number) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number of seconds')
    .transform(Number)
    .pipe(
      z
        .number()
        .positive()
        .max(7 * 86_400),
    )
    .or(z.number())
    .default(standard);

function originOf(text: string, { addIssue }: z.RefinementCtx): string {
  const origin = canonicalOrigin(text);
  if (origin === undefined)
    addIssue(`has ${JSON.stringify(text)} in it, which is no origin; write it as http://localhost:8080`);
  return origin ?? text;
}

function publicOriginOf(text: string, { addIssue }: z.RefinementCtx): string {
  const url = parseUrl(text.trim());
  const origin = canonicalOrigin(text.trim());
  if (!url || origin === undefined)
    addIssue('must be an http or https address; write it as https://holdfast.example');
  else if (url.pathname !== '/')
    addIssue(
      `has the path ${url.pathname}; Holdfast does not run below a path. Give it a host name of its own, such as https://holdfast.example`,
    );
  else if (url.search || url.hash || url.username || url.password)
    addIssue('must be scheme, host and port alone; write it as https://holdfast.example');
  return origin ?? text;
}

export const settings = {
  databaseUrl: {
    env: 'DATABASE_URL',
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgresql://')
      .optional(),
    description: 'PostgreSQL server (14 or newer). Default: an embedded server in the data folder.',
    secret: true,
  },
  dataFolder: {
    env: 'HOLDFAST_DATA',
    schema: z.string().min(1).default('.holdfast'),
    description: 'Folder of the embedded PostgreSQL server and of the secret key.',
  },
  secretKey: {
    env: 'HOLDFAST_SECRET_KEY',
    schema: z
      .string()
      .transform((text) => text.split(',').map((key) => key.trim()))
      .or(z.array(z.string()))
      .refine(
        (keys) => keys.every((key) => /^[A-Za-z0-9+/_-]{43}=?$/.test(key)),
        'must be 32 random bytes in base64, as `openssl rand -base64 32` prints them',
      )
      .default([]),
    description:
      'Key that encrypts stored secrets: 32 bytes in base64, the same on all machines. Several keys, separated by commas: the first encrypts, all decrypt. Default: the file secret.key in the data folder, created when it is first needed.',
    secret: true,
  },
  databasePort: {
    env: 'HOLDFAST_DATABASE_PORT',
    schema: wholeNumber(0, 65_535, 0),
    description: 'Port of the embedded PostgreSQL on 127.0.0.1; 0 picks a free port and keeps it.',
  },
  host: {
    env: 'HOLDFAST_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description: 'Address that the HTTP server listens on.',
  },
  port: {
    env: 'HOLDFAST_PORT',
    schema: wholeNumber(0, 65_535, 7070),
    description: 'Port of the HTTP server; 0 picks a free port. The sample site of `up` uses the next port.',
  },
  keyless: {
    env: 'HOLDFAST_KEYLESS',
    schema: z.enum(['off', 'loopback'], 'must be off or loopback').default('off'),
    description:
      'loopback: programs on this machine need no key and act as the owner `local`. Use it only if you trust every program that can connect: no proxies, tunnels or other accounts. Requires a loopback HOLDFAST_HOST and no HOLDFAST_PUBLIC_URL.',
  },
  drainSeconds: {
    env: 'HOLDFAST_DRAIN_SECONDS',
    schema: wholeNumber(0, 3600, 0),
    description:
      'How long the API keeps serving after a stop signal while `/ready` answers 503, so that load balancers notice.',
  },
  publicUrl: {
    env: 'HOLDFAST_PUBLIC_URL',
    schema: z.string().transform(publicOriginOf).optional(),
    description:
      'Public address of the API and console behind a proxy, such as https://holdfast.example, without a path. Used for sign-in and printed links; with https, the session cookie is Secure.',
  },
  sessionHours: {
    env: 'HOLDFAST_SESSION_HOURS',
    schema: wholeNumber(1, 8760, 12),
    description: 'Lifetime of a console session.',
  },
  metricsPort: {
    env: 'HOLDFAST_METRICS_PORT',
    schema: wholeNumber(0, 65_535, 0),
    description:
      'Port on which a worker serves Prometheus metrics at /metrics without a key; 0: off. `up` and `api` serve metrics on their own port and require a key.',
  },
  streamBeatSeconds: {
    env: 'HOLDFAST_STREAM_BEAT_SECONDS',
    schema: seconds(15),
    description:
      'Interval at which an idle event stream sends a keep-alive and checks its key. A client that reads nothing for this long is disconnected.',
  },
  workerId: {
    env: 'WORKER_ID',
    schema: z.string().min(1).max(100).optional(),
    description: 'Unique name of this worker. Default: generated.',
  },
  maxConcurrentJobs: {
    env: 'MAX_CONCURRENT_JOBS',
    schema: wholeNumber(0, 1000, 4),
    description:
      'Maximum concurrent runners per worker: processes that each run a crawl, or a shard of one; 0 runs none.',
  },
  maxConcurrentVisits: {
    env: 'MAX_CONCURRENT_VISITS',
    schema: wholeNumber(0, 1000, 32),
    description:
      'Maximum concurrent visits and collect jobs per worker, all in one pooled process; 0 runs none.',
  },
  runnerMemoryMb: {
    env: 'HOLDFAST_RUNNER_MEMORY_MB',
    schema: wholeNumber(64, 1_000_000, 512),
    description: 'Memory limit of a runner. A runner that exceeds it is killed and its job retried.',
  },
  browser: {
    env: 'HOLDFAST_BROWSER',
    schema: z.string().min(1).optional(),
    description:
      'Path of the Chromium that renders pages. Default: the first one in PATH, otherwise the npm package @sparticuz/chromium if it is installed.',
  },
  browsers: {
    env: 'HOLDFAST_BROWSERS',
    schema: wholeNumber(0, 256, 0),
    description: 'Maximum concurrent browsers per worker; 0: half the processor cores.',
  },
  browserPages: {
    env: 'HOLDFAST_BROWSER_PAGES',
    schema: wholeNumber(1, 64, 4),
    description: 'Maximum concurrent pages per browser.',
  },
  browserMemoryMb: {
    env: 'HOLDFAST_BROWSER_MEMORY_MB',
    schema: wholeNumber(128, 1_000_000, 1024),
    description: 'Memory limit of a browser. A browser that exceeds it takes no new pages and is replaced.',
  },
  browserRecyclePages: {
    env: 'HOLDFAST_BROWSER_RECYCLE_PAGES',
    schema: wholeNumber(1, 1_000_000, 200),
    description: 'Number of pages after which a browser is replaced.',
  },
  browserRecycleMinutes: {
    env: 'HOLDFAST_BROWSER_RECYCLE_MINUTES',
    schema: wholeNumber(1, 100_000, 20),
    description: 'Minutes after which a browser is replaced.',
  },
  evaluate: {
    env: 'HOLDFAST_EVALUATE',
    schema: z.enum(['off', 'operators', 'everyone']).default('operators'),
    description:
      'Who may run their own scripts in rendered pages (the action `evaluate`). operators: the command line, and keys with the scope operate; everyone: every key; off: no one. Workers with `off` refuse the action in every job.',
  },
  allowPrivate: {
    env: 'HOLDFAST_ALLOW_PRIVATE',
    schema: z
      .string()
      .transform((text) => text.split(','))
      // A flag that may be repeated comes as a list.
      .or(z.array(z.string()))
      .transform((origins, context) => origins.map((origin) => originOf(origin.trim(), context)))
      .default([]),
    description:
      'Private-network origins that may be fetched, such as http://localhost:8080, separated by commas.',
  },
  proxyUrls: {
    env: 'HOLDFAST_PROXY',
    schema: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((url) => url !== ''))
      .transform((urls, { addIssue }) =>
        urls.map((url) => {
          const problem = proxyUrlProblem(url);
          if (problem !== undefined) addIssue(problem);
          return url;
        }),
      )
      .default([]),
    description:
      'Default proxies, for requests that name no other proxy: URLs with user name and password, separated by commas: http://, https://, socks5:// or socks5h:// (which resolves host names itself).',
    secret: true,
  },
  proxyBypass: {
    env: 'HOLDFAST_NO_PROXY',
    schema: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
      .default([]),
    description:
      'Hosts that are fetched without HOLDFAST_PROXY, such as localhost:8080 or *.example.com, separated by commas.',
  },
  proxyRotation: {
    env: 'HOLDFAST_PROXY_ROTATION',
    schema: z.enum(proxyRotations).default('round_robin'),
    description:
      'How requests are distributed over the proxies of HOLDFAST_PROXY. sticky: the same one for all requests to a host.',
  },
  proxyResolvesNames: {
    env: 'HOLDFAST_PROXY_RESOLVES_NAMES',
    schema: z
      .enum(['true', 'false'], 'must be true or false')
      .transform((text) => text === 'true')
      .or(z.boolean())
      .default(false),
    description:
      'true: the proxies of HOLDFAST_PROXY resolve host names. Holdfast then cannot check the addresses.',
  },
  userAgent: {
    env: 'HOLDFAST_USER_AGENT',
    schema: headerText(500).default('Holdfast/0.2'),
    description: 'Default User-Agent header of the crawler.',
  },
  pollSeconds: {
    env: 'HOLDFAST_POLL_SECONDS',
    schema: seconds(1),
    description: 'Interval at which a worker looks for jobs without a notification.',
  },
  heartbeatSeconds: {
    env: 'HOLDFAST_HEARTBEAT_SECONDS',
    schema: seconds(10),
    description: 'Interval at which a worker renews the leases of its jobs.',
  },
  leaseSeconds: {
    env: 'HOLDFAST_LEASE_SECONDS',
    schema: seconds(120),
    description: 'Lease of crawl and visit jobs. A job is recovered when its lease expires.',
  },
  collectLeaseSeconds: {
    env: 'JOB_LOCK_TIMEOUT_SECONDS',
    schema: seconds(300),
    description: 'Lease of collect jobs.',
  },
  watchdogSeconds: {
    env: 'HOLDFAST_WATCHDOG_SECONDS',
    schema: seconds(60),
    description: 'Interval at which the watchdog looks for expired leases.',
  },
  schedulerSeconds: {
    env: 'HOLDFAST_SCHEDULER_SECONDS',
    schema: seconds(5),
    description: 'Interval at which a worker creates the jobs of due policies.',
  },
  retentionDays: {
    env: 'HOLDFAST_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500, 30),
    description: 'Days after which finished jobs are deleted; 0 keeps them forever.',
  },
  webhookConcurrency: {
    env: 'HOLDFAST_WEBHOOK_CONCURRENCY',
    schema: wholeNumber(0, 1000, 16),
    description: 'Maximum concurrent webhook deliveries per worker, at most 4 to one webhook; 0 sends none.',
  },
  webhookTimeoutSeconds: {
    env: 'HOLDFAST_WEBHOOK_TIMEOUT_SECONDS',
    schema: seconds(15),
    description: 'Response timeout of a webhook delivery.',
  },
  webhookAttempts: {
    env: 'HOLDFAST_WEBHOOK_ATTEMPTS',
    schema: wholeNumber(1, 100, 12),
    description: 'Attempts after which a webhook delivery is dead.',
  },
  cacheEnabled: {
    env: 'CACHE_ENABLED',
    schema: z
      .enum(['true', 'false'], 'must be true or false')
      .transform((text) => text === 'true')
      .or(z.boolean())
      .default(true),
    description: 'Whether responses of price sources are cached.',
  },
  cacheTtlSeconds: {
    env: 'CACHE_TTL_SECONDS',
    schema: seconds(3600),
    description: 'Lifetime of a cached response.',
  },
  adapterFolder: {
    env: 'HOLDFAST_ADAPTERS',
    schema: z.string().min(1).optional(),
    description: 'Folder of custom adapter modules. Default: none are run.',
  },
  breakerFailures: {
    env: 'HOLDFAST_BREAKER_FAILURES',
    schema: wholeNumber(1, 1_000_000, 5),
    description:
      'Consecutive failures after which a source is paused: any failures of visits and collections, failed connections of crawls. Also the number of consecutive failed crawl URLs, but at least 20; each URL counts once.',
  },
  breakerPauseSeconds: {
    env: 'HOLDFAST_BREAKER_PAUSE_SECONDS',
    schema: seconds(300),
    description: 'How long a source is paused after failures. Then one request probes it.',
  },
  probeSeconds: {
    env: 'HOLDFAST_PROBE_SECONDS',
    schema: seconds(60),
    description: 'Time limit of a probe, after which another worker may probe the source.',
  },
  shareSeconds: {
    env: 'HOLDFAST_SHARE_SECONDS',
    schema: seconds(10),
    description: 'How long the concurrency share of a dead run stays reserved.',
  },
  logLevel: {
    env: 'HOLDFAST_LOG_LEVEL',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    description: 'Minimum severity of log lines.',
  },
  logFormat: {
    env: 'HOLDFAST_LOG_FORMAT',
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    description: 'json: one object per line; text: readable; auto: text on a terminal, otherwise json.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export type Configuration = { readonly [K in SettingName]: z.output<(typeof settings)[K]['schema']> };

/** Reads every setting from the environment, `overrides` (command-line flags) first; an empty variable is not set. */
export function readConfiguration(
  env: Record<string, string | undefined>,
  overrides: Partial<Record<SettingName, string | readonly string[]>> = {},
): Configuration {
  const entries = Object.entries(settings).map(([name, setting]) => {
    const text = overrides[name as SettingName] ?? (env[setting.env] || undefined);
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) return [name, parsed.data];
    const given = overrides[name as SettingName] === undefined ? setting.env : flagOf(name);
    throw new HoldfastError(
      'config_invalid',
      describeIssues(parsed.error, (field) => (field === '' ? given : `${given} (${field})`)),
    );
  });
  return Object.fromEntries(entries) as Configuration;
}

const loopbackHosts: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/** For whoever serves the API: without keys, nobody but this machine may reach it. */
export function refuseKeylessInPublic({
  keyless,
  host,
  publicUrl,
}: Pick<Configuration, 'keyless' | 'host' | 'publicUrl'>): void {
  if (keyless === 'off') return;
  const why =
    publicUrl !== undefined
      ? `${settings.publicUrl.env} says that others reach it at ${publicUrl}`
      : loopbackHosts.includes(host)
        ? undefined
        : `${settings.host.env} is ${host}, where others reach it`;
  if (why === undefined) return;
  throw new HoldfastError('config_invalid', `${settings.keyless.env}=${keyless} cannot be used: ${why}`, {
    hint: `Unset ${settings.keyless.env} and use keys, or listen on ${loopbackHosts.join(', ')} alone, without ${settings.publicUrl.env}.`,
  });
}

/** The command line writes its words with hyphens. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
