import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pagePaths } from './page-path.ts';

const path = (url: string) => pagePaths(url, 'example.com')[0];

describe('the file of a page', () => {
  test.each([
    ['https://example.com/', 'index.md'],
    ['https://example.com/docs', 'docs.md'],
    ['https://example.com/docs/', 'docs/index.md'],
    ['https://example.com/docs/index.html', 'docs/index.md'],
    ['https://example.com/Docs/Getting%20Started.html', 'docs/getting-started.md'],
    ['https://example.com/list?page=2&sort=up', 'list_page-2-sort-up.md'],
    ['https://www.example.com/a', 'a.md'],
    ['https://blog.example.com/a', 'blog.example.com/a.md'],
    ['https://example.com/docs.md', 'docs.md'],
    ['https://example.com/docs.md/x', 'docs.md_/x.md'],
    ['https://example.com/%2e%2e%2f%2e%2e/etc/passwd', '_/etc/passwd.md'],
    ['https://example.com/.git/config', '_git/config.md'],
    ['https://example.com/con', 'con_.md'],
    ['https://example.com/nul.html', 'nul_.md'],
    ['https://example.com/a//b', 'a/b.md'],
    ['https://example.com/%E6%9D%B1%E4%BA%AC', '東京.md'],
    ['https://example.com/%FF', '_ff.md'],
  ])('%s is %s', (url, expected) => {
    expect(path(url)).toBe(expected);
  });

  test('is below the folder and allowed on every file system, whatever the URL', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string({ maxLength: 300 }), (base, more) => {
        const url = new URL(`${base.split(/[?#]/)[0]}/${encodeURIComponent(more.toWellFormed())}`).href;
        for (const name of pagePaths(url, 'example.com')) {
          expect(name.length).toBeLessThanOrEqual(220);
          for (const part of name.split('/')) {
            expect(part).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._~-]*$/u);
            expect(part).not.toMatch(/[. ]$|^(con|nul|aux|prn)(\.|$)/);
            expect(part).toBe(part.toLowerCase());
          }
        }
      }),
    );
  });

  test('has further names for when another page has the first, and they are its own', () => {
    const upper = pagePaths('https://example.com/About', 'example.com');
    const lower = pagePaths('https://example.com/about', 'example.com');
    expect(upper[0]).toBe(lower[0]);
    expect(upper[1]).toMatch(/^about-[0-9a-f]{8}\.md$/);
    expect(upper[1]).not.toBe(lower[1]);
  });
});
