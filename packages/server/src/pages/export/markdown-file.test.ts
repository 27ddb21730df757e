import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { linksInMarkdown, markdownFile, relinkMarkdown, urlInMarkdown } from './markdown-file.ts';
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

const relinked = (markdown: string) =>
  relinkMarkdown(markdown, (target) => (target.endsWith('x') ? 'x.md' : undefined));

describe('links in markdown', () => {
  test('those with another target get it, the others stay', () => {
    expect(relinked('see [a](https://e.com/x), [b](https://e.com/y) and ![c](https://e.com/x)')).toBe(
      'see [a](x.md), [b](https://e.com/y) and ![c](x.md)',
    );
  });

  test('parentheses belong to the target when they stand in pairs', () => {
    expect(linksInMarkdown('([a](https://e.com/b_(c)_d)) [e](https://e.com/f)')).toEqual([
      'https://e.com/b_(c)_d',
      'https://e.com/f',
    ]);
  });

  test.each([
    'write `[a](/x)` so',
    'and ``[a](/x) ` `` so',
    '```md\n[a](/x)\n```',
    '- ````\n  ```\n  [a](/x)\n  ````',
    '> ```\n> [a](/x)\n> ```',
    '~~~\n[a](/x)\n~~~',
    '``` `[a](/x)` ```',
    '~~~ `md`\n[a](/x)\n~~~',
    '~~~\n~~~ md ~~~\n[a](/x)\n~~~',
    '```\n``` `b` ```\n[a](/x)\n```',
  ])('what stands in code is no link: %j', (markdown) => {
    expect(relinked(markdown)).toBe(markdown);
    expect(relinked(`${markdown}\n\n[a](/x)`)).toBe(`${markdown}\n\n[a](x.md)`);
  });

  test('a backtick that is text begins no code', () => {
    expect(relinked('a \\` b [a](/x) c \\` d')).toBe('a \\` b [a](x.md) c \\` d');
    expect(relinked('a ` b [a](/x)')).toBe('a ` b [a](x.md)');
  });

  test('a text of a megabyte that is all markup takes no longer than another', async () => {
    const seconds = await cpuSeconds(() => {
      for (const piece of ['`', '](', '](a(', '`a``b', '[](('])
        relinkMarkdown(`](${piece.repeat(1_000_000 / piece.length)}`, () => undefined);
    });
    // Quadratic, it would be minutes.
    expect(seconds).toBeLessThan(10);
  });
});
