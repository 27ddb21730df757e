import { contentChoices, crawlScopes, crawlStrategies, HoldfastError } from '@holdfast/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { outputFormats } from '../../pages/export/page-output.ts';
import { wholeNumber } from '../whole-number.ts';
import { configurationOf, withDatabase } from '../with-database.ts';
import { openDisplay } from './crawl-display.ts';
import { type CrawlFlags, readCrawlRequest } from './crawl-request.ts';
import { performCrawl } from './crawl-to-file.ts';
import { tellOutcome } from './print-summary.ts';
import { allowPrivate } from './private-origins.ts';

const after = `
Patterns are globs for the path (/blog/**, *.pdf), or regular expressions between slashes (/\\/\\d{4}\\//).

Killed at any moment, by Ctrl-C or worse, the same command goes on where it was, and the output has every page once.
--delay holds within this crawl. A limit over all jobs and workers: holdfast sources set host:example.com --min-delay-ms 2000.
A crawl is known by its URLs and the options under "What to crawl" and "What to keep"; speed and output may change.

  holdfast crawl https://example.com                          the site, into example.com.jsonl
  holdfast crawl https://example.com --format md --limit 500  500 pages, into a folder
  holdfast crawl https://example.com/docs/ --path-prefix /docs --out - | jq .title
  holdfast crawl http://localhost:8080 --allow-private http://localhost:8080

Exit codes: 0 done, 1 the crawl failed, 2 bad input, 5 no database, 130 stopped by Ctrl-C.`;

export const crawlCommand = new Command('crawl')
  .description('crawl a site into a file: one command, which goes on where it was when it is run again')
  .usage('[options] <url> [more urls...]')
  .argument('<url>', 'where to start')
  .argument('[urls...]', 'with more than one URL, these pages and no others are fetched')
  .optionsGroup('What to crawl:')
  .option('--depth <number>', 'links to follow from the start (50)', wholeNumber)
  .option('--limit <number>', 'stop after so many fetched pages', wholeNumber)
  .option('--limit-per-host <number>', 'at most so many pages of one host', wholeNumber)
  .addOption(new Option('--scope <scope>', 'which hosts belong to it (host)').choices(crawlScopes))
  .option('--path-prefix <path>', 'only URLs whose path begins so')
  .option('--include <pattern>', 'only URLs that match; may be repeated', collect)
  .option('--exclude <pattern>', 'no URLs that match; may be repeated', collect)
  .addOption(new Option('--strategy <name>', 'how to find pages (auto)').choices(crawlStrategies))
  .option('--no-discover', 'do not look for sitemaps and llms.txt')
  .option('--ignore-robots', 'fetch what robots.txt forbids; for sites of your own')
  .option('--sort-query', 'URLs that differ in the order of parameters are the same')
  .option('--keep-tracking', 'keep utm_… and the like in URLs')
  .option('--keep-sessions', 'keep session ids in URLs')
  .option('--no-traps', 'crawl endless calendars and the like to the end')
  .option('--recrawl', 'crawl a finished site again, and report which pages are new, changed or gone')
  .optionsGroup('What to keep:')
  .option('--no-markdown', 'leave the main content out')
  .addOption(
    new Option(
      '--content <what>',
      'what becomes markdown: the main content, or the full visible page (main)',
    ).choices(contentChoices),
  )
  .option('--store-html', 'keep the HTML as well (in jsonl)')
  .option('--keep-bodies', 'keep answers as they came, headers and all (in warc)')
  .option('--max-page-bytes <number>', 'larger pages fail (10485760)', wholeNumber)
  .optionsGroup('How fast, and as whom:')
  .option('--concurrency <number>', 'requests under way at once (16)', wholeNumber)
  .option(
    '--delay <time>',
    'least time between two requests of this crawl to a host, such as 500ms or 2s',
    milliseconds,
  )
  .option('--page-timeout <seconds>', 'time for one page (60)', seconds)
  .option('--attempts <number>', 'tries of a URL that fails for a passing reason (3)', wholeNumber)
  .option('--user-agent <text>', 'how to name itself to the site')
  .option('--allow-private <origin>', 'allow a private-network origin; may be repeated', collect)
  .optionsGroup('Output:')
  .addOption(
    new Option('--format <format>', 'jsonl, csv, warc, or md: a folder of files (jsonl)').choices(
      outputFormats,
    ),
  )
  .option('--out <path>', 'file or folder to write; - for standard output (named after the URL)')
  .option('--overwrite', 'write there even if something else is there')
  .option('--json', 'print the summary as JSON')
  .option('-q, --quiet', 'show no progress and no summary')
  .addHelpText('after', after)
  .action(async (url: string, urls: string[], flags: CrawlFlags, command: Command) => {
    const request = readCrawlRequest([url, ...urls], flags);
    if (flags.json && request.output.path === '-')
      throw new HoldfastError('bad_request', '--json and --out - both want standard output');
    allowPrivate(flags.allowPrivate ?? [], configurationOf(command).allowPrivate);
    // What is worth a person's while is shown by the display; a runner's log lines would only run into it.
    process.env.HOLDFAST_LOG_LEVEL ||= 'error';
    const { quiet = false, recrawl = false, overwrite = false } = flags;
    await withDatabase(command, async (session) => {
      const display = openDisplay({ quiet });
      tellOutcome(await performCrawl(session, request, { display, recrawl, overwrite }), flags, request);
    });
  });

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function milliseconds(text: string): number {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d+)?)(ms|s)?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError('It must be a time such as 500ms or 2s.');
  return Math.round(Number(amount) * (unit === 's' ? 1000 : 1));
}

function seconds(text: string): number {
  if (!/^\d{1,9}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
  return Number(text);
}
