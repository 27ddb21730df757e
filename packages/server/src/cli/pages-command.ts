import { crawlOptions, HoldfastError, type Job, pageChanges } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { canonicalOptions } from '../crawler/canonical-options.ts';
import { baselineOf } from '../pages/baseline-of.ts';
import { diffPage } from '../pages/diff-page.ts';
import { listChanges } from '../pages/list-changes.ts';
import type { PageChange } from '../pages/page.ts';
import { showJob } from '../queue/find-jobs.ts';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { urlHash } from '../urls/url-hash.ts';
import { printable } from './print-table.ts';
import { withDatabase } from './with-database.ts';

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
      const canonical = canonicalUrl(url, undefined, canonicalOptions(crawlOptions.parse(payload)));
      if (canonical === null) throw new HoldfastError('url_invalid', url);
      const found = await diffPage(database.pool, id, urlHash(canonical));
      if (json) console.log(JSON.stringify(found));
      else
        console.log(found.diff === '' ? `${printable(found.url)} is the same as before.` : shown(found.diff));
    }),
  );

export const pagesCommand = new Command('pages')
  .description('see what became of the pages of a crawl')
  .addCommand(changes)
  .addCommand(diff);

async function showCrawl(db: Parameters<typeof showJob>[0], id: string): Promise<Job> {
  const job = await showJob(db, id);
  if (job.kind !== 'crawl') throw new HoldfastError('bad_request', `job ${id} is a ${job.kind}, not a crawl`);
  return job;
}

/** What sites send must not steer the terminal. */
function shown(text: string): string {
  return text
    .trimEnd()
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('');
}
