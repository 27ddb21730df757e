import { z } from 'zod';
import { canonicalOrigin } from './canonical-origin.ts';
import { describeIssues } from './describe-issues.ts';
import { HoldfastError } from './errors.ts';
import { parseUrl } from './parse-url.ts';
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
    description: 'PostgreSQL (14 or newer) to use. Without it, an embedded server runs in the data folder.',
    secret: true,
  },
  dataFolder: {
    env: 'HOLDFAST_DATA',
    schema: z.string().min(1).default('.holdfast'),
    description: 'Folder of the embedded PostgreSQL server.',
  },
  databasePort: {
    env: 'HOLDFAST_DATABASE_PORT',
    schema: wholeNumber(0, 65_535, 0),
    description: 'Port of the embedded PostgreSQL on 127.0.0.1; 0 picks a free one and keeps it.',
  },
  host: {
    env: 'HOLDFAST_HOST',
    schema: z.string().min(1).default('127.0.0.1'),
    description: 'Address the HTTP server listens on. Loopback unless you say otherwise.',
  },
  port: {
    env: 'HOLDFAST_PORT',
    schema: wholeNumber(0, 65_535, 7070),
    description:
      'Port the HTTP server listens on; 0 picks a free one. The sample site of `up` takes the next one.',
  },
  keyless: {
    env: 'HOLDFAST_KEYLESS',
    schema: z.enum(['off', 'loopback'], 'must be off or loopback').default('off'),
    description:
      'loopback: programs on this machine need no key, and act as the owner `local`. Only where nothing but programs that you trust can connect to this machine: no proxy, no tunnel, no other accounts. HOLDFAST_HOST must be a loopback address, and HOLDFAST_PUBLIC_URL not be set.',
  },
  drainSeconds: {
    env: 'HOLDFAST_DRAIN_SECONDS',
    schema: wholeNumber(0, 3600, 0),
    description:
      'How long the API goes on answering after a signal to stop, while `/ready` says that it is not ready: time for a load balancer to notice.',
  },
  publicUrl: {
    env: 'HOLDFAST_PUBLIC_URL',
    schema: z.string().transform(publicOriginOf).optional(),
    description:
      'Where browsers reach the API and the console when a proxy stands in front, such as https://holdfast.example; no path. With https the session cookie is Secure. Sign-in is accepted from there, and printed links lead there.',
  },
  sessionHours: {
    env: 'HOLDFAST_SESSION_HOURS',
    schema: wholeNumber(1, 8760, 12),
    description: 'How long a sign-in to the console lasts.',
  },
  metricsPort: {
    env: 'HOLDFAST_METRICS_PORT',
    schema: wholeNumber(0, 65_535, 0),
    description:
      'Port on which a worker serves Prometheus metrics at /metrics, without a key; 0: none. `up` and `api` serve metrics on their own port and ask for a key.',
  },
  streamBeatSeconds: {
    env: 'HOLDFAST_STREAM_BEAT_SECONDS',
    schema: seconds(15),
    description:
      'How often an idle event stream sends a keep-alive (proxies cut silent connections) and checks its key again. A client that reads nothing for this long is disconnected.',
  },
  workerId: {
    env: 'WORKER_ID',
    schema: z.string().min(1).max(100).optional(),
    description: 'Name of this worker, unique among all; generated when not set.',
  },
  maxConcurrentJobs: {
    env: 'MAX_CONCURRENT_JOBS',
    schema: wholeNumber(0, 1000, 4),
    description: 'How many crawls a supervisor runs at once, each in a process of its own; 0 runs none.',
  },
  maxConcurrentVisits: {
    env: 'MAX_CONCURRENT_VISITS',
    schema: wholeNumber(0, 1000, 32),
    description:
      'How many visits and collect jobs a supervisor has under way at once, all in one pooled process; 0 runs none.',
  },
  runnerMemoryMb: {
    env: 'HOLDFAST_RUNNER_MEMORY_MB',
    schema: wholeNumber(64, 1_000_000, 512),
    description: 'A runner that needs more memory is ended, and its job tried again.',
  },
  browser: {
    env: 'HOLDFAST_BROWSER',
    schema: z.string().min(1).optional(),
    description:
      'Path of the Chromium that renders pages. Without it, one from PATH is used, else the npm package @sparticuz/chromium where it is installed.',
  },
  browsers: {
    env: 'HOLDFAST_BROWSERS',
    schema: wholeNumber(0, 256, 0),
    description: 'How many browsers a worker runs at once; 0: half as many as it has processor cores.',
  },
  browserPages: {
    env: 'HOLDFAST_BROWSER_PAGES',
    schema: wholeNumber(1, 64, 4),
    description: 'How many pages one browser renders at once.',
  },
  browserMemoryMb: {
    env: 'HOLDFAST_BROWSER_MEMORY_MB',
    schema: wholeNumber(128, 1_000_000, 1024),
    description: 'A browser that needs more memory takes no new pages and is replaced.',
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
      'Origins that may be fetched although their address is not public, such as http://localhost:8080, with commas between them.',
  },
  userAgent: {
    env: 'HOLDFAST_USER_AGENT',
    schema: headerText(500).default('Holdfast/0.2'),
    description: 'User-Agent header of the crawler, unless a job sets another.',
  },
  pollSeconds: {
    env: 'HOLDFAST_POLL_SECONDS',
    schema: seconds(1),
    description: 'How often a worker looks for work when no notification woke it.',
  },
  heartbeatSeconds: {
    env: 'HOLDFAST_HEARTBEAT_SECONDS',
    schema: seconds(10),
    description: 'How often a supervisor renews the leases of its jobs.',
  },
  leaseSeconds: {
    env: 'HOLDFAST_LEASE_SECONDS',
    schema: seconds(120),
    description: 'Lease of crawl and visit jobs held by a supervisor; they are recovered when it runs out.',
  },
  collectLeaseSeconds: {
    env: 'JOB_LOCK_TIMEOUT_SECONDS',
    schema: seconds(300),
    description: 'Lease of collect jobs.',
  },
  watchdogSeconds: {
    env: 'HOLDFAST_WATCHDOG_SECONDS',
    schema: seconds(60),
    description: 'How often the watchdog looks for expired leases.',
  },
  schedulerSeconds: {
    env: 'HOLDFAST_SCHEDULER_SECONDS',
    schema: seconds(5),
    description: 'How often a worker creates the jobs of due policies.',
  },
  retentionDays: {
    env: 'HOLDFAST_RETENTION_DAYS',
    schema: wholeNumber(0, 36_500, 30),
    description: 'Days after which finished jobs are deleted; 0 keeps them for ever.',
  },
  webhookConcurrency: {
    env: 'HOLDFAST_WEBHOOK_CONCURRENCY',
    schema: wholeNumber(0, 1000, 16),
    description:
      'How many webhook deliveries a worker sends at once, at most 4 of them to one webhook; 0 sends none.',
  },
  webhookTimeoutSeconds: {
    env: 'HOLDFAST_WEBHOOK_TIMEOUT_SECONDS',
    schema: seconds(15),
    description: 'A receiver that has not answered a delivery after so long has not taken it.',
  },
  webhookAttempts: {
    env: 'HOLDFAST_WEBHOOK_ATTEMPTS',
    schema: wholeNumber(1, 100, 12),
    description: 'A delivery that was not taken after so many attempts is dead, until it is replayed.',
  },
  cacheEnabled: {
    env: 'CACHE_ENABLED',
    schema: z
      .enum(['true', 'false'], 'must be true or false')
      .transform((text) => text === 'true')
      .or(z.boolean())
      .default(true),
    description: 'Whether answers of sources about prices are cached.',
  },
  cacheTtlSeconds: {
    env: 'CACHE_TTL_SECONDS',
    schema: seconds(3600),
    description: 'How long a cached answer of a source is used.',
  },
  adapterFolder: {
    env: 'HOLDFAST_ADAPTERS',
    schema: z.string().min(1).optional(),
    description: 'Folder of your own adapter modules; without it, none are run.',
  },
  breakerFailures: {
    env: 'HOLDFAST_BREAKER_FAILURES',
    schema: wholeNumber(1, 1_000_000, 5),
    description:
      'A source is paused after so many failures in a row: any failures of visits and collections, failed connections of crawls. It is also paused when that many URLs of crawls fail in a row, but at least 20; each URL counts once.',
  },
  breakerPauseSeconds: {
    env: 'HOLDFAST_BREAKER_PAUSE_SECONDS',
    schema: seconds(300),
    description: 'How long a source stays paused after failures; then one request probes it.',
  },
  probeSeconds: {
    env: 'HOLDFAST_PROBE_SECONDS',
    schema: seconds(60),
    description: 'How long a worker may take to probe a paused source before another worker may probe it.',
  },
  shareSeconds: {
    env: 'HOLDFAST_SHARE_SECONDS',
    schema: seconds(10),
    description:
      'How long the request slots that a dead run held at a source stay taken; then other runs may use them.',
  },
  logLevel: {
    env: 'HOLDFAST_LOG_LEVEL',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    description: 'Least severe log lines that are written.',
  },
  logFormat: {
    env: 'HOLDFAST_LOG_FORMAT',
    schema: z.enum(['auto', 'json', 'text']).default('auto'),
    description: 'json: one object per line; text: for people; auto: text on a terminal, json elsewhere.',
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
