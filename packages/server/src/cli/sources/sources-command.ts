import { adapterTypes, HoldfastError, type SourceSettings } from '@holdfast/contract';
import { Command } from 'commander';
import { configureAndWake, pauseAndTell, resumeAndWake } from '../governor/sources/change-source.ts';
import { Notifier } from '../queue/jobs/notifications.ts';
import { printSource, printSources } from './show-sources.ts';
import { listSources, type SourceFilter, showSource } from '../../governor/sources/list-sources.ts';
import { configureAndWake, pauseAndTell, resumeAndWake } from '../../governor/sources/open-source.ts';
import type { Source } from '../../governor/sources/source.ts';
import { sourceView } from '../../governor/sources/source-view.ts';
import { Notifier } from '../../queue/jobs/notifier.ts';
import { answerEach } from '../answer-each.ts';
import { checkLimit } from '../check-limit.ts';
import { readText } from '../read-text.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';

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
  adapter?: string;
  config?: string;
  file?: string;
  enable?: true;
  disable?: true;
}

const examples = `
A source is a place that Holdfast asks for something: a site, or the API of a shop. It holds how fast that place may be asked
by all workers together, and how it has answered lately; one that fails again and again is paused by itself. Every host that
is crawled or visited gets one by itself, named host:example.com. You make one yourself to set limits, to put several hosts
under one limit, or to say how prices are asked for there (an adapter; see \`holdfast intakes --help\`).

  holdfast sources list --blocked                     what lets nothing through now, and why
  holdfast sources set host:example.com --rate-limit 30 --concurrency 1
  holdfast sources set shop --hosts shop.example '*.shop.example' --min-delay-ms 500
  holdfast sources pause shop --seconds 3600          ask nothing there for an hour
  holdfast sources set hand --adapter import --weight 0.9    prices that you bring yourself

See docs/guides/write-an-adapter.md and docs/collection.md.`;

const asJson = (source: Source) => sourceView(source, { seesEveryOwner: true });

const list = new Command('list')
  .description('the sites and APIs that are asked, with their limits and their health')
  .option('--configured', 'only those that somebody configured')
  .option('--blocked', 'only those that let nothing through now')
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <id>', 'go on behind this source: the last one of the page before')
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
  .description('one source: its limits, how it has answered lately, and whether it is paused')
  .argument('<id>', 'id of the source, such as host:example.com')
  .option('--json', 'print JSON')
  .action((id: string, { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const source = await showSource(database.pool, id);
      if (json) console.log(JSON.stringify(asJson(source)));
      else printSource(source);
    }),
  );

const set = new Command('set')
  .description('make a source, or change one; what is not named stays as it is')
  .argument('<id>', 'id of the source, new or not')
  .option('--name <text>', 'what to call it')
  .option('--hosts <host...>', 'its hosts; *.example.com for every host below one')
  .option('--rate-limit <number>', 'requests a minute over all workers, or none', limitOrNone)
  .option('--concurrency <number>', 'requests at a time over all workers', wholeNumber)
  .option('--min-delay-ms <number>', 'between two requests over all workers', wholeNumber)
  .option(
    '--weight <number>',
    'how much its prices count in a valuation, from 0 (not at all) to 1 (fully); 0.5 if never set',
    Number,
  )
  .option(
    '--tier <number>',
    'turn in which sources are asked for an intake, 1 to 10: the highest first; 5 if never set',
    wholeNumber,
  )
  .option('--adapter <type>', `how prices are asked for: ${adapterTypes.join(', ')}, or none`)
  .option('--config <json>', 'of the adapter, as a JSON object')
  .option('--file <path>', 'a JSON file with settings as the API takes them; other options come first')
  .option('--enable', 'let requests through')
  .option('--disable', 'let none through until it is enabled')
  .option('--json', 'print JSON')
  .action((id: string, options: SetOptions, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      const source = await configureAndWake({ db, notifier: new Notifier(db), actor }, id, {
        ...(options.file === undefined ? {} : readObject(await readText(options.file), options.file)),
        ...settingsOf(options),
      });
      if (options.json) console.log(JSON.stringify(asJson(source)));
      else printSource(source);
    }),
  );

const pause = new Command('pause')
  .description('let no request to sources start')
  .argument('<id...>', 'ids of the sources')
  .option('--seconds <number>', 'for so long; without it, until they are resumed', wholeNumber)
  .option('--json', 'print JSON, one line a source')
  .action((ids: string[], { json, seconds }: JsonOption & { seconds?: number }, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      if (seconds !== undefined && seconds < 1)
        throw new HoldfastError('bad_request', '--seconds must be at least 1');
      const acting = { db, notifier: new Notifier(db), actor };
      await answerEach(ids, json ?? false, async (id) => {
        const source = await pauseAndTell(acting, id, seconds);
        const until =
          source.paused_until instanceof Date ? source.paused_until.toISOString() : 'it is resumed';
        return { changed: asJson(source), told: `source ${id}: paused until ${until}` };
      });
    }),
  );

const resume = new Command('resume')
  .description(
    'end every pause and slow-down of sources, whoever began it, and start the jobs that wait for them',
  )
  .argument('<id...>', 'ids of the sources')
  .option('--json', 'print JSON, one line a source')
  .action((ids: string[], { json }: JsonOption, command: Command) =>
    withDatabase(command, async ({ database: { pool: db }, actor }) => {
      const acting = { db, notifier: new Notifier(db), actor };
      await answerEach(ids, json ?? false, async (id) => ({
        changed: asJson(await resumeAndWake(acting, id)),
        told: `source ${id}: resumed`,
      }));
    }),
  );

export const sourcesCommand = new Command('sources')
  .description('see and steer the sites and APIs that are asked: how fast, how many at a time, or not at all')
  .addHelpText('after', examples);
for (const command of [list, show, set, pause, resume]) sourcesCommand.addCommand(command);

/** Not null: the parser of options would take that for none given. */
function limitOrNone(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(text);
}

function settingsOf(options: SetOptions): SourceSettings {
  if (options.enable && options.disable)
    throw new HoldfastError('bad_request', '--enable or --disable, not both');
  const settings = {
    name: options.name,
    hosts: options.hosts,
    rate_limit_per_minute: options.rateLimit === 'none' ? null : options.rateLimit,
    concurrency: options.concurrency,
    min_delay_ms: options.minDelayMs,
    reputation_weight: options.weight,
    tier: options.tier,
    adapter_type: options.adapter === 'none' ? null : options.adapter,
    config: options.config === undefined ? undefined : readObject(options.config, '--config'),
    enabled: options.enable ?? (options.disable && false),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function readObject(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // the same message: it is not a JSON object
  }
  throw new HoldfastError('bad_request', `${name} must be a JSON object such as {"url": "…"}`);
}
