import { crawlOptions } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { chooseOutputPlace } from './output-place.ts';
import type { OutputFormat } from './page-output.ts';

const options = crawlOptions.parse({ url: 'https://example.com/' });
const place = (out?: string, format?: OutputFormat) =>
  chooseOutputPlace({ ...(out !== undefined && { out }), ...(format && { format }) }, options);

describe('where pages are written', () => {
  test.each([
    [undefined, undefined, 'jsonl'],
    ['pages.CSV', undefined, 'csv'],
    ['pages.warc', undefined, 'warc'],
    ['pages/', undefined, 'md'],
    ['pages.txt', undefined, 'jsonl'],
    ['pages.txt', 'csv', 'csv'],
    ['pages.json', 'jsonl', 'jsonl'],
    ['pages.warc.gz', 'warc', 'warc'],
    ['pages.csv/', 'md', 'md'],
    ['docs.md', 'md', 'md'],
    ['-', 'csv', 'csv'],
  ] as const)('%s as %s is %s', (out, format, chosen) => {
    expect(place(out, format).format).toBe(chosen);
  });

  test.each([
    ['foo.csv', 'jsonl'],
    ['foo.jsonl', 'csv'],
    ['foo.warc.gz', 'jsonl'],
    ['foo.ndjson', 'md'],
    ['foo.md', undefined],
  ] as const)('%s as %s is refused: whoever reads it would take it for something else', (out, format) => {
    expect(() => place(out, format)).toThrow(/foo\.\S+: it is named as \w+, and the format is/);
  });
});
