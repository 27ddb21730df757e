import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CrawlOptions, crawlOptions, HoldfastError } from '@holdfast/contract';
import { crawlKey } from '../../web/urls/crawl-key.ts';
import { FileOutput } from './file-output.ts';
import { FolderOutput } from './folder-output.ts';
import { csvFormat, jsonlFormat } from './line-formats.ts';
import { outputUnusable } from './output-unusable.ts';
import { type OutputFormat, outputFormats, type PageOutput } from './page-output.ts';
import { StreamOutput } from './stream-output.ts';
import { warcFormat } from './warc-format.ts';

interface OutputOptions {
  /** A file, a folder for md, or `-` for standard output. */
  readonly path: string;
  readonly format: OutputFormat;
  readonly seedHost: string;
  readonly overwrite: boolean;
  /** Job whose unfinished output may be resumed; any other existing output is left alone. */
  readonly resumesJob?: string;
}

/** The output for the pages of a job. Checks that it can be written to, before a job is created; changes nothing. */
export async function chooseOutput(options: OutputOptions): Promise<PageOutput> {
  const { path, format } = options;
  if (format === 'md') return await FolderOutput.at(options);
  // The name says whether a WARC file is compressed.
  const formats = { jsonl: jsonlFormat, csv: csvFormat, warc: warcFormat({ gzip: !/\.warc$/i.test(path) }) };
  const pages = formats[format];
  if (path === '-') return new StreamOutput('standard output', process.stdout, pages);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    throw outputUnusable(path, `it is a folder, and ${format} is one file`, {
      hint: 'Name a file with --out, or write a file for each page with --format md.',
    });
  }
  if (found && !found.isFile()) return new StreamOutput(path, createWriteStream(path), pages);
  return await FileOutput.at({ ...options, pages });
}

export interface OutputPlace {
  readonly path: string;
  readonly format: OutputFormat;
}

/** Path and format of an output: from the flags, else named after the crawl's URL. */
export function chooseOutputPlace(
  { format, out }: { readonly format?: OutputFormat; readonly out?: string },
  options: CrawlOptions,
): OutputPlace {
  const chosen = format ?? formatOf(out);
  if (out === '') throw new HoldfastError('output_unusable', '--out is empty');
  if (out === '-' && chosen === 'md') {
    throw new HoldfastError('output_unusable', 'a folder of markdown files cannot go to standard output', {
      hint: 'Name a folder with --out, or choose --format jsonl.',
    });
  }
  assertNamedAs(chosen, out);
  const name = outputName(options);
  return { format: chosen, path: out ?? `${name}${extensions[chosen]}` };
}

const extensions: Record<OutputFormat, string> = { jsonl: '.jsonl', csv: '.csv', md: '', warc: '.warc.gz' };

/** The format that other programs expect behind a file name. */
const namesOf: Record<OutputFormat, RegExp> = {
  jsonl: /\.(jsonl|ndjson|json)$/i,
  csv: /\.csv$/i,
  md: /\.(md|markdown)$/i,
  warc: /\.warc(\.gz)?$/i,
};

/** Without --format the name of the output decides. */
function formatOf(out = ''): OutputFormat {
  if (namesOf.csv.test(out)) return 'csv';
  if (namesOf.warc.test(out)) return 'warc';
  return /[/\\]$/.test(out) || basename(out) === '.' ? 'md' : 'jsonl';
}

/** Refuses a name that belongs to another format; a name of no known format fits all. */
function assertNamedAs(format: OutputFormat, out = ''): void {
  const named = outputFormats.find((each) => namesOf[each].test(out));
  if (named === undefined || named === format) return;
  const hint =
    named === 'md'
      ? 'Markdown is written as one file per page: name a folder with --out and add --format md.'
      : `Leave --format out to write ${named}, or give --out another name.`;
  throw outputUnusable(out, `its name says ${named}, but the format is ${format}`, { hint });
}

/** The default output name: host and path. Crawls of one URL with different options have different names, so none replaces another. */
export function outputName(options: CrawlOptions): string {
  const { host, pathname } = new URL(options.url);
  const place = `${host}${pathname}`
    .slice(0, 80)
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const { max_depth, max_pages, ...others } = options;
  const plain = crawlOptions.parse({ url: options.url });
  const isPlain = crawlKey({ ...others, max_depth: plain.max_depth }) === crawlKey(plain);
  if (!isPlain) return `${place}-${crawlKey(options).slice(-6)}`;
  const depth = max_depth === plain.max_depth ? '' : `-depth-${max_depth}`;
  return `${place}${depth}${max_pages === undefined ? '' : `-limit-${max_pages}`}`;
}
