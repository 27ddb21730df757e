import {
  blockEscalations,
  contentChoices,
  crawlScopes,
  crawlStrategies,
  HoldfastError,
  renderModes,
} from '@holdfast/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { outputFormats } from '../../pages/export/page-output.ts';
import { collect, readText, wholeNumber } from '../option-values.ts';
import { configurationOf, withDatabase } from '../with-database.ts';
import { openDisplay } from './crawl-display.ts';
import { type CrawlFlags, readCrawlRequest } from './crawl-request.ts';
import { crawlToFile } from './crawl-to-file.ts';
import { printSummary } from './print-summary.ts';
import { allowPrivate } from './private-origins.ts';

const after = `
Patterns are globs for the path (/blog/**, *.pdf), or regular expressions between slashes (/\\/\\d{4}\\//).

Interrupt or kill it at any time: the same command continues where it stopped, and the output has every page once.
--delay applies to this crawl only. For all jobs and workers: holdfast sources set host:example.com --min-delay-ms 2000.
A crawl is identified by its URLs and the options under "What to crawl" and "What to keep"; speed and output may change.

  holdfast crawl https://example.com                          crawl the site into example.com.jsonl
  holdfast crawl https://example.com --format md --limit 500  500 pages into a folder
  holdfast crawl https://example.com/docs/ --path-prefix /docs --out - | jq .title
  holdfast crawl https://example.com --render always --screenshot full_page
  holdfast crawl https://example.com --actions '[{"type": "click", "selector": "#more", "optional": true}]'
  holdfast crawl http://localhost:8080 --allow-private http://localhost:8080

Exit codes: 0 done, 1 the crawl failed, 2 bad input, 5 no database, 130 stopped by Ctrl-C.`;

export const crawlCommand = new Command('crawl')
  .description('crawl a site into a file; run it again to continue where it stopped')
  .usage('[options] <url> [more urls...]')
  .argument('<url>', 'start URL')
  .argument('[urls...]', 'with several URLs, only these pages are fetched')
  .optionsGroup('What to crawl:')
  .option('--depth <number>', 'maximum number of links from the start URL (default: 50)', wholeNumber)
  .option('--limit <number>', 'stop after this many fetched pages', wholeNumber)
  .option('--limit-per-host <number>', 'maximum pages per host', wholeNumber)
  .addOption(
    new Option('--scope <scope>', 'which hosts belong to the crawl (default: host)').choices(crawlScopes),
  )
  .option('--path-prefix <path>', 'only URLs whose path starts with this')
  .option('--include <pattern>', 'only URLs that match (repeatable)', collect)
  .option('--exclude <pattern>', 'no URLs that match (repeatable)', collect)
  .addOption(new Option('--strategy <name>', 'how to find pages (default: auto)').choices(crawlStrategies))
  .option('--no-discover', 'do not look for sitemaps and llms.txt')
  .option('--ignore-robots', 'fetch pages that robots.txt forbids; for your own sites')
  .option('--sort-query', 'treat URLs with reordered parameters as the same')
  .option('--ignore-query', 'treat links that differ only in their query as the same')
  .option('--keep-tracking', 'keep tracking parameters (utm_… and the like) in URLs')
  .option('--keep-sessions', 'keep session ids in URLs')
  .option('--no-traps', 'turn off trap detection (endless calendars and the like)')
  .option('--recrawl', 'crawl a finished site again and report new, changed and gone pages')
  .optionsGroup('What to keep:')
  .option('--no-markdown', 'do not extract the main content')
  .addOption(
    new Option(
      '--content <what>',
      'what to extract as markdown: the main content, or the full visible page (default: main)',
    ).choices(contentChoices),
  )
  .option('--no-documents', 'skip PDF documents')
  .option('--prefer-markdown', 'request markdown before HTML; it may have fewer links to follow')
  .option('--include-selector <css>', 'only parts of pages that match (repeatable)', collect)
  .option('--exclude-selector <css>', 'no parts of pages that match (repeatable)', collect)
  .option('--image-links', 'keep the URLs of images')
  .option('--clean-html', 'keep the HTML of the content, without scripts, styles and classes (jsonl)')
  .option('--store-html', 'also keep the HTML (jsonl)')
  .option('--keep-bodies', 'keep the original responses with headers (warc)')
  .option('--max-page-bytes <number>', 'larger pages fail (default: 10485760)', wholeNumber)
  .optionsGroup('Pages that need JavaScript:')
  .addOption(
    new Option(
      '--render <when>',
      'run pages in a browser: never, always, or auto: only where needed (default: auto)',
    ).choices(renderModes),
  )
  .option('--wait-for <selector|ms>', 'in a rendered page, wait for a CSS selector or for milliseconds')
  .option('--actions <json>', 'actions to perform in every page before it is read: a JSON list, or a file')
  .option('--screenshot [size]', 'keep a screenshot of every page: viewport or full_page')
  .option('--load-media', 'let rendered pages load images, fonts, media and trackers')
  .optionsGroup('Speed and identity:')
  .option('--concurrency <number>', 'concurrent requests of each runner (default: 16)', wholeNumber)
  .option('--runners <number>', 'processes that work on the crawl (default: 1)', wholeNumber)
  .option(
    '--shards <number>',
    'runners that may work on a new crawl at once, on all machines together (default: as --runners)',
    wholeNumber,
  )
  .option(
    '--delay <time>',
    'minimum time between two requests of this crawl to a host, such as 500ms or 2s',
    milliseconds,
  )
  .option('--page-timeout <seconds>', 'time limit per page (default: 60)', seconds)
  .option('--attempts <number>', 'attempts per URL when errors are transient (default: 3)', wholeNumber)
  .option('--user-agent <text>', 'User-Agent header')
  .option('--accept-language <languages>', 'Accept-Language header, such as "de, en;q=0.5"')
  .option('--no-cookies', 'do not store or send cookies')
  .option('--profile <name>', 'stored sign-in to use; see holdfast profiles')
  .option(
    '--header <header>',
    'extra header "Name: value" for the origins of the URLs (repeatable); @FILE reads one per line',
    collect,
  )
  .option('--basic-auth <user:password>', 'HTTP basic authentication; env:VARIABLE or @FILE reads it')
  .option('--bearer <token>', 'bearer token; env:VARIABLE or @FILE reads it')
  .option('--proxy <name>', 'proxy for all requests (`holdfast proxies --help`); direct: no proxy')
  .addOption(
    new Option(
      '--on-block <what...>',
      'what to try when a page is blocked: proxy: other servers of the proxy; render: a browser, for challenges',
    ).choices(blockEscalations),
  )
  .option('--robots-token <name>', 'name to look up in robots.txt (default: first word of the user agent)')
  .option('--allow-private <origin>', 'allow a private-network origin (repeatable)', collect)
  .optionsGroup('Output:')
  .addOption(
    new Option('--format <format>', 'jsonl, csv, warc, or md: a folder of files (default: jsonl)').choices(
      outputFormats,
    ),
  )
  .option('--out <path>', 'file or folder; - for standard output (default: named after the URL)')
  .option('--overwrite', 'replace an existing file or folder')
  .option('--json', 'print the summary as JSON')
  .option('-q, --quiet', 'no progress and no summary')
  .addHelpText('after', after)
  .action(async (url: string, urls: string[], flags: CrawlFlags, command: Command) => {
    const actions = flags.actions === undefined ? undefined : await readActions(flags.actions);
    const request = readCrawlRequest([url, ...urls], { ...flags, ...(actions && { actions }) });
    if (flags.json && request.output.path === '-')
      throw new HoldfastError('bad_request', '--json and --out - both need standard output: leave one out');
    allowPrivate(flags.allowPrivate ?? [], configurationOf(command).allowPrivate);
    // Log lines would run into the progress display, which shows what matters.
    process.env.HOLDFAST_LOG_LEVEL ||= 'error';
    const { quiet = false, recrawl = false, overwrite = false } = flags;
    await withDatabase(command, async (session) => {
      const display = openDisplay({ quiet });
      printSummary(await crawlToFile(session, request, { display, recrawl, overwrite }), flags, request);
    });
  });

/** `[{"type": "click", "selector": "#more"}]`, or the name of a file that has such a list in it. */
async function readActions(given: string): Promise<string> {
  return /^\s*[[{]/.test(given) ? given : await readText(given);
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
