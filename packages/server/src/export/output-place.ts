import { basename } from 'node:path';
import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import { outputName } from './output-name.ts';
import type { OutputFormat } from './page-output.ts';

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
  const name = outputName(options);
  return { format: chosen, path: out ?? `${name}${extensions[chosen]}` };
}

const extensions: Record<OutputFormat, string> = { jsonl: '.jsonl', csv: '.csv', md: '', warc: '.warc.gz' };

/** Without --format the name of the output says it. */
function formatOf(out = ''): OutputFormat {
  if (/\.csv$/i.test(out)) return 'csv';
  if (/\.warc(\.gz)?$/i.test(out)) return 'warc';
  return /[/\\]$/.test(out) || basename(out) === '.' ? 'md' : 'jsonl';
}
