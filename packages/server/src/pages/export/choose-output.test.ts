import { crawlOptions } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { chooseOutputPlace, outputName } from './choose-output.ts';
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
    expect(() => place(out, format)).toThrow(/foo\.\S+: its name says \w+, but the format is/);
  });
});

const nameOf = (options: object = {}) =>
  outputName(crawlOptions.parse({ url: 'https://example.com/docs/', ...options }));

describe('the name of an output', () => {
  test('is that of the place', () => {
    expect(nameOf()).toBe('example.com-docs');
    expect(nameOf({ url: 'https://example.com' })).toBe('example.com');
    expect(nameOf({ url: 'http://127.0.0.1:8080/a b?c' })).toBe('127.0.0.1-8080-a-20b');
  });

  test('does not depend on speed, nor on whether the crawl is done again', () => {
    expect(nameOf({ concurrency: 2, delay_ms: 100, recrawl: true, user_agent: 'x' })).toBe(
      'example.com-docs',
    );
  });

  test('tells crawls of the same place apart', () => {
    expect(nameOf({ max_pages: 500, max_depth: 2 })).toBe('example.com-docs-depth-2-limit-500');
    const others = [{ include: ['/a'] }, { include: ['/b'] }, { path_prefix: '/docs' }, { store_html: true }];
    const names = [{}, ...others, { urls: ['https://example.com/x'] }].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(nameOf(others[0])).toMatch(/^example\.com-docs-[0-9a-f]{6}$/);
  });
});
