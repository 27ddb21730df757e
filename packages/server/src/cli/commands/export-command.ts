import { crawlOptions, HoldfastError, isLive } from '@holdfast/contract';
import { Command, Option } from 'commander';
import { AiRefusals } from '../../governor/robots/content-preferences.ts';
import { chooseOutput, chooseOutputPlace } from '../../pages/export/choose-output.ts';
import { PageExporter } from '../../pages/export/page-exporter.ts';
import { type OutputFormat, outputFormats } from '../../pages/export/page-output.ts';
import { countFetched } from '../../pages/stored/read-pages.ts';
import { robotsAgent } from '../../web/robots/robots-rules.ts';
import { countOf, formatBytes } from '../format-values.ts';
import { findCrawlJob } from '../pages/crawl-pages.ts';
import { withDatabase } from '../with-database.ts';

interface ExportFlags {
  format?: OutputFormat;
  out?: string;
  overwrite?: true;
  force?: true;
  skipNoAi?: true;
  json?: true;
}

export const exportCommand = new Command('export')
  .description('export the pages of a crawl to a file')
  .argument('<job>', 'job id')
  .addOption(
    new Option('--format <format>', 'jsonl, csv, warc, or md: a folder of files (default: jsonl)').choices(
      outputFormats,
    ),
  )
  .option('--out <path>', 'file or folder; - for standard output (default: named after the URL)')
  .option('--overwrite', 'replace an existing file or folder')
  .addOption(new Option('--force', 'same as --overwrite').hideHelp())
  .option('--skip-no-ai', 'leave out pages whose robots.txt refuses AI input (Content-Signal, Content-Usage)')
  .option('--json', 'print a summary as JSON')
  .addHelpText(
    'after',
    `
CSV has one page per line. In markdown, line breaks are written as \\n and backslashes are doubled; in titles and descriptions a
line break becomes a space. Text that begins with = + - or @ gets a leading apostrophe, so that no spreadsheet runs it as a
formula. JSONL has everything unchanged.

WARC (1.1, one gzip member per record) has the original responses if the crawl kept them (crawl --keep-bodies), otherwise
conversion records. In a folder of markdown files, links between pages are relative, and _contents.md lists all pages.`,
  )
  .action(async (id: string, flags: ExportFlags, command: Command) => {
    const { force = false, overwrite = force, json = false } = flags;
    if (json && flags.out === '-')
      throw new HoldfastError('bad_request', '--json and --out - both need standard output: leave one out');
    await withDatabase(command, async ({ database: { pool }, configuration }) => {
      const job = await findCrawlJob(pool, id);
      const options = crawlOptions.parse(job.payload);
      const place = chooseOutputPlace(flags, options);
      const seedHost = new URL(options.url).host;
      const output = await chooseOutput({ ...place, seedHost, overwrite, resumesJob: id });
      const isWhole = job.status === 'completed';
      // The output of an unfinished crawl may be its own: continue it.
      await output.open({ db: pool, jobId: id, anew: isWhole });
      const wasBegun = output.pageNo > 0;
      const agent = robotsAgent(options, configuration.userAgent);
      const refusals = flags.skipNoAi && new AiRefusals(pool, agent);
      const exporter = new PageExporter(pool, id, output, refusals && ((url) => refusals.refuses(url)));
      await exporter.finish(isWhole, true);
      const { skipped } = exporter;
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
        ...(flags.skipNoAi && { skipped }),
      };
      if (json) return console.log(JSON.stringify(summary));
      if (output.pageNo === 0) {
        const why = isLive(job.status) ? 'has fetched no page yet' : `ended (${job.status}) without a page`;
        return console.error(`The crawl ${why}; nothing was written.`);
      }
      if (skipped > 0)
        console.error(`Left out ${countOf(skipped, 'page')}: their robots.txt refuses AI input.`);
      const amount = `${countOf(pages, 'page')}, ${formatBytes(bytes)},`;
      const written = wasBegun
        ? `${amount} added to ${output.name}, now ${countOf(total_pages, 'page')}.`
        : `${amount} written to ${output.name}.`;
      console.error(isWhole ? written : `${written} The crawl is ${job.status}: more may follow.`);
    });
  });
