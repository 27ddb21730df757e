import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { csvFormat } from './csv-format.ts';
import { FileOutput } from './file-output.ts';
import { FolderOutput } from './folder-output.ts';
import { jsonlFormat } from './jsonl-format.ts';
import { outputUnusable } from './output-unusable.ts';
import type { OutputFormat, PageOutput } from './page-output.ts';
import { StreamOutput } from './stream-output.ts';
import { warcFormat } from './warc-format.ts';

export interface OutputOptions {
  /** A file, a folder for md, or `-` for standard output. */
  readonly path: string;
  readonly format: OutputFormat;
  readonly seedHost: string;
  readonly overwrite: boolean;
  /** A job: what is there already is gone on with if it is of this one, and not finished; else it is left alone. */
  readonly goesOnWith?: string;
}

/** Where pages are to go, checked: that it can be written to is known before a job is made. Nothing is changed by that. */
export async function chooseOutput(options: OutputOptions): Promise<PageOutput> {
  const { path, format } = options;
  if (format === 'md') return await FolderOutput.at(options);
  // Compressed or not, as the name says.
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
