import { basename } from 'node:path';
import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import { outputName } from './output-name.ts';
import { outputUnusable } from './output-unusable.ts';
import { type OutputFormat, outputFormats } from './page-output.ts';

export interface OutputPlace {
  readonly path: string;
  readonly format: OutputFormat;
}

/** Where pages go, and how they are written there: as the flags say, else after the crawl's URL. */
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

/** What others take a file of such a name for. */
const namesOf: Record<OutputFormat, RegExp> = {
  jsonl: /\.(jsonl|ndjson|json)$/i,
  csv: /\.csv$/i,
  md: /\.(md|markdown)$/i,
  warc: /\.warc(\.gz)?$/i,
};

/** Without --format the name of the output says it. */
function formatOf(out = ''): OutputFormat {
  if (namesOf.csv.test(out)) return 'csv';
  if (namesOf.warc.test(out)) return 'warc';
  return /[/\\]$/.test(out) || basename(out) === '.' ? 'md' : 'jsonl';
}

/** A name that says nothing of a format goes with all of them. */
function assertNamedAs(format: OutputFormat, out = ''): void {
  const named = outputFormats.find((each) => namesOf[each].test(out));
  if (named === undefined || named === format) return;
  const hint =
    named === 'md'
      ? 'Markdown is a file for each page: name a folder with --out, and add --format md.'
      : `Leave --format out to write ${named}, or give --out another name.`;
  throw outputUnusable(out, `it is named as ${named}, and the format is ${format}`, { hint });
}
