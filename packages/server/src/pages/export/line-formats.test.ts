import { describe, expect, test } from 'vitest';
import { csvFormat, jsonlFormat } from './line-formats.ts';
import { samplePage } from './testing/sample-page.ts';

const names = csvFormat.header().trimEnd().split(',');
/** One column of a record whose other columns need no quotes. */
function cellOf(name: string, fields: Parameters<typeof samplePage>[0]): string {
  const position = names.indexOf(name);
  const record = csvFormat.record(samplePage(fields)).slice(0, -2);
  const before = record.split(',').slice(0, position).join(',').length;
  const behind = names.length - position - 1;
  const rest = record.slice(before + (position > 0 ? 1 : 0));
  return behind === 0 ? rest : rest.split(',').slice(0, -behind).join(',');
}

describe('CSV', () => {
  test('has a header, and a record with as many cells', () => {
    expect(csvFormat.record(samplePage()).trimEnd().split(',')).toHaveLength(names.length);
  });

  test('says how a page of a recrawl changed', () => {
    expect(cellOf('change', { change: 'unchanged' })).toBe('unchanged');
    expect(cellOf('change', {})).toBe('');
  });

  test('knows files of its own, also those of an earlier version', () => {
    const isOurs = (text: string) => csvFormat.isOurs(Buffer.from(text));
    expect(isOurs(csvFormat.header())).toBe(true);
    expect(isOurs('n,url,canonical_url,title,description,language\r\n')).toBe(true);
    expect(isOurs('number,url\r\n')).toBe(false);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '=HYPERLINK("http://evil")'])(
    'a title %j is text to a spreadsheet',
    (title) => {
      const cell = cellOf('title', { title });
      expect(cell.replace(/^"/, '')).toMatch(/^'/);
    },
  );

  test('quotes are doubled, and commas quoted', () => {
    expect(cellOf('title', { title: 'say "a", then b' })).toBe('"say ""a"", then b"');
  });

  test('no line break is left inside a record', () => {
    const record = csvFormat.record(
      samplePage({ title: 'a\nb', description: 'c\r\nd', markdown: '# x\r\n\ny\u2028z' }),
    );
    expect(record.slice(0, -2)).not.toMatch(/[\r\n\u2028]/);
    expect(record).toMatch(/\r\n$/);
  });

  test('line breaks of the markdown can be told from a written \\n', () => {
    expect(cellOf('markdown', { markdown: 'a\nb \\n c' })).toBe('a\\nb \\\\n c');
  });
});

test('a page is one line, whatever line breaks it has in it', () => {
  const markdown = 'a\nb\r\nc\u2028d\u2029e\u0085f\u000bg';
  const line = jsonlFormat.record(samplePage({ markdown }));
  expect(line).toMatch(/^[^\n\r\u2028\u2029\u0085\v]*\n$/);
  expect(JSON.parse(line)).toMatchObject({ url: 'https://example.com/', page_no: 1, markdown });
  // Its place among all outcomes, of which an export has only some: nobody should take it for the number of the line.
  expect(line).toMatch(/^\{"url":"[^"]+","page_no":1,/);
});

test('HTML is there only where it was stored', () => {
  expect(JSON.parse(jsonlFormat.record(samplePage()))).not.toHaveProperty('html');
  expect(JSON.parse(jsonlFormat.record(samplePage({ html: '<p>' })))).toHaveProperty('html', '<p>');
});

test('a file of ours is told from others', () => {
  expect(jsonlFormat.isOurs(Buffer.from(jsonlFormat.record(samplePage())))).toBe(true);
  const longest = { url: `https://example.com/${'x'.repeat(2_000)}` };
  expect(jsonlFormat.isOurs(Buffer.from(jsonlFormat.record(samplePage(longest)).slice(0, 4096)))).toBe(true);
  expect(jsonlFormat.isOurs(Buffer.from('{"n":4,"url":"https://example.com/","title"'))).toBe(true); // 0.2.0
  expect(jsonlFormat.isOurs(Buffer.from('{"url":"https://example.com","title":"mine"}'))).toBe(false);
});

test('the change since the crawl before is there only where there was one', () => {
  expect(JSON.parse(jsonlFormat.record(samplePage()))).not.toHaveProperty('change');
  expect(JSON.parse(jsonlFormat.record(samplePage({ change: 'changed' })))).toHaveProperty(
    'change',
    'changed',
  );
});
