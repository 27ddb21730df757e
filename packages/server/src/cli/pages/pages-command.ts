import { allowedActions, crawlOptions, foundByDiscovery, HoldfastError, type JobStatus, type ListedPage, type PageErrors, type PageSearch, pageChanges, pageListQuery, pageOrders, pageOutcomes } from '@holdfast/contract';
import { Command, Option } from 'commander';
import type { Pool } from 'pg';
import { asCalled } from '../base/process/installation.ts';
import { baselineOf } from '../pages/stored/list-changes.ts';
import { pagePosition } from '../pages/stored/list-pages.ts';
import { asCalled } from '../../base/process/called-as.ts';
import { baselineOf } from '../../pages/stored/baseline-of.ts';
import { diffPage } from '../../pages/stored/diff-page.ts';
import { listChanges } from '../../pages/stored/list-changes.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';
import { listPages, type PageListOptions, type PageSlice } from '../../pages/stored/list-pages.ts';
import type { PageChange } from '../../pages/stored/page.ts';
import { pagePosition } from '../../pages/stored/page-position.ts';
import { readUrlRules } from '../../pages/stored/read-pages.ts';
import { asGiven, canonicalOptions } from '../../web/urls/canonical-options.ts';
import { type CanonicalOptions, canonicalUrl } from '../../web/urls/canonical-url.ts';
import { urlHash } from '../../web/urls/url-hash.ts';
import { urlRules } from '../../web/urls/url-rules.ts';
import { checkFlags } from '../check-flags.ts';
import { printable } from '../print-table.ts';
import { showCrawl } from '../show-crawl.ts';
import { wholeNumber } from '../whole-number.ts';
import { withDatabase } from '../with-database.ts';
import { printErrors, printPages } from './crawl-pages.ts';

interface ListFlags extends PageSearch {
  order: (typeof pageOrders)[number];
  limit: number;
  after?: number;
  json?: true;
}

const examples = `
A page is what became of one URL that a crawl found: fetched, failed, skipped or redirected, and why. JOB is the id of the
crawl, as \`holdfast jobs list --kind crawl\` has it.

  holdfast pages list JOB --outcome failed
  holdfast pages errors JOB                           what went wrong, by reason
  holdfast pages changes JOB --only new changed       of a recrawl: what is not as it was before
  holdfast export JOB --format md                     their text, into files

See docs/guides/getting-started.md.`;

const list = new Command('list')
  .description('the pages of a crawl: fetched, failed, skipped, redirected')
  .argument('<job>', 'id of the job')
  .addOption(new Option('--outcome <outcome>', 'only pages that ended so').choices(pageOutcomes))
  .option('--status <number>', 'only with this HTTP status', wholeNumber)
  .option('--reason <code>', 'only with this error code or reason, such as site_error or robots_disallowed')
  .addOption(
    new Option('--change <change>', 'only with this change since the crawl before').choices(pageChanges),
  )
  .option('--search <text>', 'part of the URL or of the title, in any case')
  .addOption(
    new Option('--order <order>', 'which come first; failed, skipped and redirected ones by reason')
      .choices(pageOrders)
      .default('oldest'),
  )
  .option('--limit <number>', 'how many (1 to 1000)', wholeNumber, 50)
  .option('--after <number>', 'go on behind the page of this number: the last one shown', wholeNumber)
  .option('--json', 'print JSON')
  .action((id: string, { json, after, limit, order, ...flags }: ListFlags, command: Command) => {
    const search = checkFlags(pageListQuery, { limit, order, ...flags });
    return withDatabase(command, async ({ database: { pool } }) => {
      const { status } = await showCrawl(pool, id);
      const from = after === undefined ? undefined : await pagePosition(pool, id, after);
      const { pages, next } = await fullPage(pool, id, { ...search, after: from });
      if (json) return console.log(JSON.stringify(pages));
      if (pages.length === 0) {
        const isFiltered = Object.values(flags).some((value) => value !== undefined);
        // Beside the list, which is empty.
        console.error(isFiltered || after !== undefined ? 'No such pages.' : noneYet(status));
        return;
      }
      printPages(pages, next?.page_no ?? null);
    });
  });

const errors = new Command('errors')
  .description('what went wrong in a crawl: failed and skipped pages by reason, with some of each')
  .argument('<job>', 'id of the job')
  .option('--json', 'print JSON')
  .action((id: string, { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database: { pool } }) => {
      const job = await showCrawl(pool, id);
      const { status, requested_action, kind } = job;
      const found = await listErrors(pool, id);
      if (json) return console.log(JSON.stringify(found));
      if (found.data.length > 0) {
        printErrors(found);
        console.log(asCalled(`\nAll of one reason: holdfast pages list ${id} --reason CODE`));
        const canRetry =
          allowedActions(status, requested_action, kind).includes('retryUrls') && hasPageErrors(found);
        if (canRetry) console.log(asCalled(`Try them again: holdfast jobs retry-urls ${id} --with CODE`));
        return;
      }
      console.error(status === 'completed' ? 'No page failed, and none was skipped.' : noneYet(status));
      if (job.error_message && status !== 'completed')
        console.error(
          asCalled(`What ended its last run: ${printable(job.error_message)} (holdfast jobs show ${id})`),
        );
    }),
  );

const changes = new Command('changes')
  .description('what a recrawl found new, changed or gone, in comparison with the crawl before')
  .argument('<job>', 'id of the job')
  .addOption(
    new Option('--only <change...>', 'only pages with these changes (new, changed, gone)').choices(
      pageChanges,
    ),
  )
  .option('--json', 'print JSON, one line a page')
  .action((id: string, { only, json }: { only?: PageChange[]; json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const { status } = await showCrawl(database.pool, id);
      let count = 0;
      for await (const page of listChanges(database.pool, id, only)) {
        count++;
        console.log(json ? JSON.stringify(page) : `${page.change.padEnd(9)}  ${printable(page.url)}`);
      }
      if (count > 0) return;
      const { baseline } = await baselineOf(database.pool, id);
      const what = only ? `No page is ${only.join(' or ')}` : 'Nothing changed';
      const when = status === 'completed' ? '' : ` yet (the crawl is ${status})`;
      // Beside the list, which is empty.
      console.error(`${what}${when}, in comparison with crawl ${baseline}.`);
    }),
  );

const diff = new Command('diff')
  .description('how a page of a recrawl differs from the crawl before, as markdown')
  .argument('<job>', 'id of the job')
  .argument('<url>', 'of the page')
  .option('--json', 'print JSON')
  .action((id: string, url: string, { json }: { json?: true }, command: Command) =>
    withDatabase(command, async ({ database }) => {
      const { payload } = await showCrawl(database.pool, id);
      const rules = await readUrlRules(database.pool, id);
      const asLink = canonicalOptions(crawlOptions.parse(payload), rules);
      const diffOf = async (options: CanonicalOptions) => {
        const canonical = canonicalUrl(url, undefined, options);
        if (canonical === null) throw new HoldfastError('url_invalid', url);
        return await diffPage(database.pool, id, urlHash(urlRules[rules].identity(canonical)), canonical);
      };
      const found = await diffOf(asGiven(asLink)).catch((error) => {
        if (error instanceof HoldfastError && error.code === 'page_not_found') return diffOf(asLink);
        throw error;
      });
      if (json) console.log(JSON.stringify(found));
      else
        console.log(found.diff === '' ? `${printable(found.url)} is the same as before.` : shown(found.diff));
    }),
  );

export const pagesCommand = new Command('pages')
  .description('see what became of the pages of a crawl')
  .addHelpText('after', examples)
  .addCommand(list)
  .addCommand(errors)
  .addCommand(changes)
  .addCommand(diff);

/** One call looks at a bounded number of rows; whoever types a command waits for the others too. */
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

/** What sites send must not steer the terminal. */
function shown(text: string): string {
  return text
    .trimEnd()
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('');
}
