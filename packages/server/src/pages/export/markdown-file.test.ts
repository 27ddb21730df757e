import { expect, test } from 'vitest';
import { markdownFile, urlInMarkdown } from './markdown-file.ts';
import { samplePage } from './testing/sample-page.ts';

test('front matter holds what is known of a page, each value on its line', () => {
  const file = markdownFile(
    samplePage({ title: 'a: "b"\n---\nurl: "https://evil.example/"', markdown: '# Hi\n' }),
  );
  const [, matter = '', body] = file.split(/^---\n/m);
  expect(matter.split('\n')).toEqual([
    'url: "https://example.com/"',
    'title: "a: \\"b\\"\\n---\\nurl: \\"https://evil.example/\\""',
    'language: "en"',
    'status: 200',
    'content_type: "text/html"',
    'depth: 0',
    'word_count: 2',
    'fetched_at: "2026-01-02T03:04:05.678Z"',
    'page_no: 1',
    '',
  ]);
  expect(body).toBe('\n# Hi\n');
});

test('a file says whose it is', () => {
  const url = 'https://example.com/a"b\\c';
  expect(urlInMarkdown(markdownFile(samplePage({ url })))).toBe(url);
  expect(urlInMarkdown('# Notes\nurl: "x"\n')).toBeUndefined();
});
