import { stat, writeFile } from 'node:fs/promises';
import {
  allowedActions,
  crawlOptions,
  foundByDiscovery,
  HoldfastError,
  type JobStatus,
  type ListedPage,
  type PageErrors,
  type PageSearch,
  pageChanges,
  pageListQuery,
  pageOrders,
  pageOutcomes,
} from '@holdfast/contract';
import { Command, Option } from 'commander';
import type { Pool } from 'pg';
import { asCalled } from '../../base/process/installation.ts';
import { attemptOn, outputExists } from '../../pages/export/output-unusable.ts';
import { diffPage } from '../../pages/stored/diff-page.ts';
import { readKeptText } from '../../pages/stored/kept-text.ts';
import { baselineOf, listChanges } from '../../pages/stored/list-changes.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';
import {
  listPages,
  type PageListOptions,
  type PageSlice,
  pagePosition,
} from '../../pages/stored/list-pages.ts';
import type { PageChange } from '../../pages/stored/page.ts';
import { readUrlRules } from '../../pages/stored/read-pages.ts';
import { readScreenshot } from '../../pages/stored/read-screenshot.ts';
import {
  asGiven,
  type CanonicalOptions,
  canonicalOptions,
  canonicalUrl,
} from '../../web/urls/canonical-url.ts';
import { withHashRoute } from '../../web/urls/hash-route.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import { urlRules } from '../../web/urls/url-rules.ts';
import { checkFlags } from '../check-flags.ts';
import { formatBytes } from '../format-values.ts';
import { wholeNumber } from '../option-values.ts';
import { printable } from '../terminal-text.ts';
import { withDatabase } from '../with-database.ts';
import { findCrawlJob, printErrors, printKeptText, printPages } from './crawl-pages.ts';

interface ListFlags extends PageSearch {
  order: (typeof pageOrders)[number];
  limit: number;
  after?: number;
  json?: true;
}

const examples = `
A page is the outcome of one URL that a crawl found: fetched, failed, skipped or redirected, with the reason. JOB is the id of
the crawl; \`holdfast jobs list --kind crawl\` lists them.

  holdfast pages list JOB --outcome failed
  holdfast pages errors JOB                           failed and skipped pages, by reason
  holdfast pages text JOB                             how much of the visible text was kept, by host
  holdfast pages changes JOB --only new changed       changes since the previous crawl
  holdfast pages list JOB --rendered                  pages that ran in a browser, and why
  holdfast pages screenshot JOB https://example.com/ --out page.png
  holdfast export JOB --format md                     export their text to files

See docs/guides/getting-started.md.`;

const list = new Command('list')
  .description('list the pages of a crawl: fetched, failed, skipped, redirected')
  .argument('<job>', 'job id')
  .addOption(new Option('--outcome <outcome>', 'only pages with this outcome').choices(pageOutcomes))
  .option('--status <number>', 'only with this HTTP status', wholeNumber)
  .option('--reason <code>', 'only with this error code or reason, such as site_error or robots_disallowed')
  .addOption(
    new Option('--change <change>', 'only with this change since the previous crawl').choices(pageChanges),
  )
  .option('--rendered', 'only pages that ran in a browser')
  .option('--search <text>', 'part of the URL or title, ignoring case')
  .addOption(
    new Option('--order <order>', 'sort order; failed, skipped and redirected pages are sorted by reason')
      .choices(pageOrders)
      .default('oldest'),
  )
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option(
    '--after <number>',
    'start after the page with this number, the last one of the previous page',
    wholeNumber,
  )
  .option('--json', 'print JSON')
  .action((id: string, { json, after, limit, order, ...flags }: ListFlags, command: Command) => {
    const search = checkFlags(pageListQuery, { limit, order, ...flags });
    return withDatabase(command, async ({ database: { pool } }) => {
      const { status } = await findCrawlJob(pool, id);
      const from = after === undefined ? undefined : await pagePosition(pool, id, after);
      const { pages, next } = await fullPage(pool, id, { ...search, after: from });
      if (json) return console.log(JSON.stringify(pages));
      if (pages.length === 0) {
        const isFiltered = Object.values(flags).some((value) => value !== undefined);
        // On standard error: the list on standard output is empty.
        console.error(isFiltered || after !== undefined ? 'No matching pages.' : noneYet(status));
        return;
      }
      printPages(pages, next?.page_no ?? null);
    });
  });

const errors = new Command('errors')
  .description('summarise failed and skipped pages of a crawl by reason, with examples')
  .argument('<job>', 'job id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const job = await findCrawlJob(pool, id);
      const { status, requested_action, kind } = job;
      const found = await listErrors(pool, id);
      if (json) return console.log(JSON.stringify(found));
      if (found.data.length > 0) {
        printErrors(found);
        console.log(asCalled(`\nList all of one reason: holdfast pages list ${id} --reason CODE`));
        const canRetry =
          allowedActions(status, requested_action, kind).includes('retryUrls') && hasPageErrors(found);
        if (canRetry) console.log(asCalled(`Retry them: holdfast jobs retry-urls ${id} --with CODE`));
        return;
      }
      console.error(status === 'completed' ? 'No page failed or was skipped.' : noneYet(status));
      if (job.error_message && status !== 'completed')
        console.error(
          asCalled(`Its last run ended with: ${printable(job.error_message)} (holdfast jobs show ${id})`),
        );
    }),
  );

const text = new Command('text')
  .description('show how much of the visible text of pages became markdown, by host')
  .argument('<job>', 'job id')
  .option('--json', 'print JSON')
  .action((id: string, { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const { status, payload } = await findCrawlJob(pool, id);
      const kept = await readKeptText(pool, id);
      if (json) return console.log(JSON.stringify(kept));
      if (kept.data.length > 0) {
        printKeptText(kept);
        console.log(
          asCalled('\nA small share? See what was left out of a page: holdfast extract URL --explain'),
        );
      } else if (payload.markdown === false) console.error('This crawl stores no markdown.');
      else console.error(noneYet(status));
    }),
  );

const changes = new Command('changes')
  .description('list the pages that are new, changed or gone since the previous crawl')
  .argument('<job>', 'job id')
  .addOption(
    new Option('--only <change...>', 'only pages with these changes (new, changed, gone)').choices(
      pageChanges,
    ),
  )
  .option('--json', 'print JSON, one line per page')
  .action((id: string, { only, json }: { only?: PageChange[]; json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const { status } = await findCrawlJob(database.pool, id);
      let count = 0;
      for await (const page of listChanges(database.pool, id, only)) {
        count++;
        console.log(json ? JSON.stringify(page) : `${page.change.padEnd(9)}  ${printable(page.url)}`);
      }
      if (count > 0) return;
      const { baseline } = await baselineOf(database.pool, id);
      const what = only ? `No page is ${only.join(' or ')}` : 'Nothing changed';
      const when = status === 'completed' ? '' : ` yet (the crawl is ${status})`;
      // On standard error: the list on standard output is empty.
      console.error(`${what}${when}, compared with crawl ${baseline}.`);
    }),
  );

const diff = new Command('diff')
  .description('show how the markdown of a page differs from the previous crawl')
  .argument('<job>', 'job id')
  .argument('<url>', 'URL of the page')
  .option('--json', 'print JSON')
  .action((id: string, url: string, { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const found = await ofPage(database.pool, id, url, (hash, canonical) =>
        diffPage(database.pool, id, hash, canonical),
      );
      if (json) console.log(JSON.stringify(found));
      else console.log(found.diff === '' ? `${printable(found.url)} has not changed.` : shown(found.diff));
    }),
  );

const screenshot = new Command('screenshot')
  .description('save the screenshot of a page, as PNG')
  .argument('<job>', 'job id')
  .argument('<url>', 'URL of the page')
  .option('--out <file>', 'file; - for standard output (default: named after the URL)')
  .option('--overwrite', 'replace an existing file')
  .action(
    (id: string, url: string, { out, overwrite }: { out?: string; overwrite?: true }, command: Command) =>
      withDatabase(command, async ({ database: { pool } }) => {
        const picture = await ofPage(pool, id, url, (hash) => readScreenshot(pool, id, hash));
        if (out === '-') {
          process.stdout.write(picture);
          return;
        }
        const file =
          out ??
          `${new URL(url).href
            .replace(/^https?:\/\//, '')
            .replaceAll(/[^\w.-]+/g, '-')
            .slice(0, 100)}.png`;
        await attemptOn(file, async () => {
          if (!overwrite && (await stat(file).catch(() => undefined))) throw outputExists(file);
          await writeFile(file, picture);
        });
        console.error(`${formatBytes(picture.length)} written to ${file}.`);
      }),
  );

/** Looks up a URL as typed, otherwise in its canonical form. */
async function ofPage<Result>(
  pool: Pool,
  id: string,
  url: string,
  find: (hash: string, canonical: string) => Promise<Result>,
): Promise<Result> {
  const { payload } = await findCrawlJob(pool, id);
  const rules = await readUrlRules(pool, id);
  const asLink = canonicalOptions(crawlOptions.parse(payload), rules);
  const found = async (options: CanonicalOptions) => {
    const canonical = withHashRoute(canonicalUrl(url, undefined, options), url);
    if (canonical === null) throw new HoldfastError('url_invalid', url);
    return await find(urlHash(urlRules[rules].identity(canonical)), canonical);
  };
  return await found(asGiven(asLink)).catch((error) => {
    if (error instanceof HoldfastError && error.code === 'page_not_found') return found(asLink);
    throw error;
  });
}

/** Reads on until the page is full: one call looks at a bounded part of the pages. */
async function fullPage(pool: Pool, id: string, options: PageListOptions): Promise<PageSlice> {
  const pages: ListedPage[] = [];
  let after = options.after;
  for (;;) {
    const slice = await listPages(pool, id, { ...options, after, limit: options.limit - pages.length });
    pages.push(...slice.pages);
    if (slice.next === null || pages.length === options.limit) return { pages, next: slice.next };
    after = slice.next;
  }
}

/** Whether pages failed, and not only sitemaps and the like that discovery looked for. */
function hasPageErrors({ data }: PageErrors): boolean {
  return data.some(({ reason }) => !foundByDiscovery.includes(reason));
}

const noneYet = (status: JobStatus) => `None (the crawl is ${status}).`;

/** Escapes control characters, but for line breaks and tabs. */
function shown(text: string): string {
  return text
    .trimEnd()
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('');
}

export const pagesCommand = new Command('pages')
  .description('list the pages of a crawl and their outcomes')
  .addHelpText('after', examples)
  .addCommand(list)
  .addCommand(errors)
  .addCommand(text)
  .addCommand(changes)
  .addCommand(diff)
  .addCommand(screenshot);
