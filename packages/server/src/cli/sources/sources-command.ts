import { adapterTypes, HoldfastError, renderModes, type SourceSettings } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { asCalled } from '../../base/process/installation.ts';
import { preferencesOfSource } from '../../governor/robots/content-preferences.ts';
import { configureAndWake, pauseAndNotify, resumeAndWake } from '../../governor/sources/change-source.ts';
import { listSources, type SourceFilter, showSource } from '../../governor/sources/list-sources.ts';
import { type Source, sourceView } from '../../governor/sources/source.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { addListOptions, checkLimit } from '../list-options.ts';
import { readJsonObject, readText, wholeNumber } from '../option-values.ts';
import { actOnEach } from '../report-error.ts';
import { withDatabase } from '../with-database.ts';
import { printSource, printSources } from './show-sources.ts';

interface JsonOption {
  json?: true;
}

interface SetOptions extends JsonOption {
  name?: string;
  hosts?: string[];
  rateLimit?: number | 'none';
  concurrency?: number;
  minDelayMs?: number;
  weight?: number;
  tier?: number;
  render?: string;
  proxy?: string;
  adapter?: string;
  config?: string;
  file?: string;
  enable?: true;
  disable?: true;
}

const examples = `
A source is a site or an API that Holdfast sends requests to. It holds the limits that all workers share, and the recent health;
a source that keeps failing is paused. Every host gets a source with its first request, named host:example.com. Create one
yourself to set limits, to put several hosts under one limit, or to collect prices with an adapter (\`holdfast intakes --help\`).

  holdfast sources list --blocked                     sources that let no requests through, and why
  holdfast sources set host:example.com --rate-limit 30 --concurrency 1
  holdfast sources set shop --hosts shop.example '*.shop.example' --min-delay-ms 500
  holdfast sources pause shop --seconds 3600          send no requests for an hour
  holdfast sources set hand --adapter import --weight 0.9    prices you import yourself

See docs/guides/write-an-adapter.md and docs/collection.md.`;

const asJson = (source: Source) => sourceView(source, { seesEveryOwner: true });

const list = addListOptions(
  new Command('list')
    .description('list sources with their limits and health')
    .option('--configured', 'only those that were configured')
    .option('--blocked', 'only those that accept no requests now'),
  'source',
)
  .option('--json', 'print JSON')
  .action(({ json, ...filter }: SourceFilter & JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      checkLimit(filter.limit);
      const sources = await listSources(database.pool, filter);
      if (json) console.log(JSON.stringify(sources.map(asJson)));
      else printSources(sources, filter);
    }),
  );

const show = new Command('show')
  .description('show a source: limits, recent health, pauses')
  .argument('<id>', 'source id, such as host:example.com')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const source = await showSource(database.pool, id);
      const preferences = await preferencesOfSource(database.pool, id);
      if (json) console.log(JSON.stringify({ ...asJson(source), preferences }));
      else printSource(source, preferences);
    }),
  );

const set = new Command('set')
  .description('create a source, or change its settings')
  .argument('<id>', 'source id, new or existing')
  .option('--name <text>', 'display name')
  .option('--hosts <host...>', 'its hosts; *.example.com includes all subdomains')
  .option('--rate-limit <number>', 'requests per minute of all workers together, or none', limitOrNone)
  .option('--concurrency <number>', 'concurrent requests of all workers together', wholeNumber)
  .option('--min-delay-ms <number>', 'delay between two requests of all workers together', wholeNumber)
  .option('--weight <number>', 'weight of its prices in a valuation, 0 to 1 (default: 0.5)', Number)
  .option(
    '--tier <number>',
    'order in which sources are asked for an intake, 1 to 10, highest first (default: 5)',
    wholeNumber,
  )
  .addOption(
    new Option('--render <when>', 'run its pages in a browser, for jobs that leave it to auto').choices(
      renderModes,
    ),
  )
  .option(
    '--proxy <name>',
    'proxy for its hosts; direct: no proxy; none: use the proxy of the job or HOLDFAST_PROXY',
  )
  .option('--adapter <type>', `how prices are collected: ${adapterTypes.join(', ')}, or none`)
  .option('--config <json>', 'adapter configuration, as a JSON object')
  .option('--file <path>', 'JSON file with settings in the form of the API; other options take precedence')
  .option('--enable', 'enable it')
  .option('--disable', 'disable it: send no requests until it is enabled')
  .option('--json', 'print JSON')
  .action((id: string, options: SetOptions, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      const source = await configureAndWake({ db, notifier: new Notifier(db), actor }, id, {
        ...(options.file === undefined
          ? {}
          : readJsonObject(await readText(options.file), options.file, '{"url": "…"}')),
        ...settingsOf(options),
      });
      if (options.json) console.log(JSON.stringify(asJson(source)));
      else printSource(source);
    }),
  );

const pause = new Command('pause')
  .description('pause sources: start no requests to them')
  .argument('<id...>', 'source ids')
  .option('--seconds <number>', 'how long; without it, until resumed', wholeNumber)
  .option('--json', 'print JSON, one line per source')
  .action((ids: string[], { json, seconds }: JsonOption & { seconds?: number }, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      if (seconds !== undefined && seconds < 1)
        throw new HoldfastError('bad_request', '--seconds must be at least 1');
      const acting = { db, notifier: new Notifier(db), actor };
      await actOnEach(ids, json ?? false, async (id) => {
        const source = await pauseAndNotify(acting, id, seconds);
        const until =
          source.paused_until instanceof Date ? source.paused_until.toISOString() : 'it is resumed';
        return { changed: asJson(source), message: `source ${id}: paused until ${until}` };
      });
    }),
  );

const resume = new Command('resume')
  .description('end every pause and slowdown of sources, and start the jobs that wait for them')
  .argument('<id...>', 'source ids')
  .option('--json', 'print JSON, one line per source')
  .action((ids: string[], { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      const acting = { db, notifier: new Notifier(db), actor };
      await actOnEach(ids, json ?? false, async (id) => {
        const source = await resumeAndWake(acting, id);
        const state = source.enabled
          ? 'resumed'
          : asCalled(`still disabled; holdfast sources set ${id} --enable enables it`);
        return { changed: asJson(source), message: `source ${id}: ${state}` };
      });
    }),
  );

/** Not null: commander would take that for a missing value. */
function limitOrNone(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(text);
}

function settingsOf(options: SetOptions): SourceSettings {
  if (options.enable && options.disable)
    throw new HoldfastError('bad_request', 'use --enable or --disable, not both');
  const settings = {
    name: options.name,
    hosts: options.hosts,
    rate_limit_per_minute: options.rateLimit === 'none' ? null : options.rateLimit,
    concurrency: options.concurrency,
    min_delay_ms: options.minDelayMs,
    reputation_weight: options.weight,
    tier: options.tier,
    render: options.render as SourceSettings['render'] | undefined,
    proxy: options.proxy === 'none' ? null : options.proxy,
    adapter_type: options.adapter === 'none' ? null : options.adapter,
    config:
      options.config === undefined ? undefined : readJsonObject(options.config, '--config', '{"url": "…"}'),
    enabled: options.enable ?? (options.disable && false),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

export const sourcesCommand = new Command('sources')
  .description('list and control the sites and APIs that requests go to: rate, concurrency, pauses')
  .addHelpText('after', examples);
for (const command of [list, show, set, pause, resume]) sourcesCommand.addCommand(command);
