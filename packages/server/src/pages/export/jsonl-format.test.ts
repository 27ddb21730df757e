import { expect, test } from 'vitest';
import { jsonlFormat } from './jsonl-format.ts';
import { samplePage } from './testing/sample-page.ts';

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
