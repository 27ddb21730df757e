import { crawlOptions, HoldfastError, isLive } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { chooseOutputPlace } from '../pages/export/choose-output.ts';
import { countFetched } from '../pages/stored/read-pages.ts';
import { chooseOutput } from '../../pages/export/choose-output.ts';
import { chooseOutputPlace } from '../../pages/export/output-place.ts';
import { PageExporter } from '../../pages/export/page-exporter.ts';
import { type OutputFormat, outputFormats } from '../../pages/export/page-output.ts';
import { countFetched } from '../../pages/stored/count-fetched.ts';
import { countOf, formatBytes } from '../format-values.ts';
import { showCrawl } from '../show-crawl.ts';
import { withDatabase } from '../with-database.ts';

interface ExportFlags {
  format?: OutputFormat;
  out?: string;
  overwrite?: true;
  force?: true;
  json?: true;
}

export const exportCommand = new Command('export')
  .description('write the pages of a crawl into a file, whoever ran it')
  .argument('<job>', 'id of the job')
  .addOption(
    new Option('--format <format>', 'jsonl, csv, warc, or md: a folder of files (jsonl)').choices(
      outputFormats,
    ),
  )
  .option('--out <path>', 'file or folder to write; - for standard output (named after the URL)')
  .option('--overwrite', 'write there even if something is there already')
  .addOption(new Option('--force', 'the same as --overwrite').hideHelp())
  .option('--json', 'print what was written as JSON')
  .addHelpText(
    'after',
    `
CSV has one page a line. In its markdown line breaks are written \\n and backslashes are doubled; in title and description
a line break is a space. Text that begins with = + - or @ gets an apostrophe before it, so that no spreadsheet runs it as a
formula. JSONL has everything as it is.

WARC (1.1, a gzip member for each record) has the answers of a crawl that kept them, with crawl --keep-bodies; without, it
has what was made of them, as conversion records. In a folder of markdown files, links from one to another are relative,
and _contents.md lists all.`,
  )
  .action(async (id: string, flags: ExportFlags, command: Command) => {
    const { force = false, overwrite = force, json = false } = flags;
    if (json && flags.out === '-')
      throw new HoldfastError('bad_request', '--json and --out - both want standard output');
    await withDatabase(command, async ({ database: { pool } }) => {
      const job = await showCrawl(pool, id);
      const options = crawlOptions.parse(job.payload);
      const place = chooseOutputPlace(flags, options);
      const seedHost = new URL(options.url).host;
      const output = await chooseOutput({ ...place, seedHost, overwrite, resumesJob: id });
      const isWhole = job.status === 'completed';
      // One that is not complete may have been written by the crawl itself: gone on with, not begun anew.
      await output.open({ db: pool, jobId: id, anew: isWhole });
      const wasBegun = output.pageNo > 0;
      await new PageExporter(pool, id, output).finish(isWhole, true);
      const { pages, bytes } = output.added;
      const total_pages = wasBegun ? await countFetched(pool, id, output.pageNo) : pages;
      const summary = {
        job: id,
        status: job.status,
        output: output.name,
        format: place.format,
        pages,
        bytes,
        total_pages,
      };
      if (json) return console.log(JSON.stringify(summary));
      if (output.pageNo === 0) {
        const why = isLive(job.status) ? 'has fetched no page yet' : `ended (${job.status}) without a page`;
        return console.error(`The crawl ${why}; nothing was written.`);
      }
      const amount = `${countOf(pages, 'page')}, ${formatBytes(bytes)},`;
      const written = wasBegun
        ? `${amount} added to ${output.name}, which has ${countOf(total_pages, 'page')} now.`
        : `${amount} written to ${output.name}.`;
      console.error(isWhole ? written : `${written} The crawl is ${job.status}: more may follow.`);
    });
  });
