import { crawlOptions } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { crawlKey, crawlKeyOf02 } from './crawl-key.ts';

const site = 'https://example.com';
const options = (given: object) => crawlOptions.parse(given);
const batch = (...paths: string[]) => {
  const [url, ...urls] = paths.map((path) => site + path);
  return options({ url, urls });
};

describe('the key of a crawl', () => {
  // Made by version 0.2.0.
  test.each([
    [{ url: `${site}/` }, 'fb10b1483cfeec060939e0d642a56fb2'],
    [{ url: `${site}/?utm_source=x` }, 'fb10b1483cfeec060939e0d642a56fb2'],
    [
      { url: `${site}/docs?q=a+b%20c&spm=1`, max_pages: 100, include: ['/docs/**'], keep_bodies: true },
      '36257e8608785c9b188baf071a557352',
    ],
    [
      { url: `${site}/a`, urls: [`${site}/b?utm_id=1`], keep_tracking: true },
      '72ad92838c925e58970e65204fe0f7b8',
    ],
  ])('of %j is that of version 0.2', (given, key) => {
    expect(crawlKey(options(given))).toBe(`crawl:${key}`);
    expect(crawlKeyOf02(options(given))).toBe(`crawl:${key}`);
  });

  test('tells apart what version 0.2 took for one, whose key is still known', () => {
    const [one, other] = [batch('/p?session_id=1', '/p?session_id=2'), batch('/p?session_id=3')];
    expect(crawlKeyOf02(one)).toBe('crawl:4f740aea3c0a4ebd1e8459cae5e36c40');
    expect(new Set([one, other, batch('/p')].map(crawlKey)).size).toBe(3);
    expect(crawlKey(batch('/p', '/q?utm_id=1'))).not.toBe(crawlKey(batch('/p', '/q?utm_id=2')));
    expect(crawlKey(options({ url: `${site}/?session=1` }))).not.toBe(crawlKey(options({ url: `${site}/` })));
  });

  test('names an option that version 0.2 did not have only where it is used', () => {
    const plain = { url: `${site}/` };
    const defaults = options({ ...plain, keep_sessions: false, traps: true });
    expect(crawlKey(defaults)).toBe(crawlKey(options(plain)));
    const newer = [
      { keep_sessions: true },
      { traps: false },
      { content: 'full' },
      { exclude_selectors: ['h1'] },
      { image_links: true },
      { prefer_markdown: true },
      { render: 'never' },
      { render: 'always', screenshot: true },
      { profile: 'shop' },
      { accept_language: 'de' },
      { cookies: false },
    ];
    const keys = newer
      .map((other) => options({ ...plain, ...other }))
      .flatMap((given) => [crawlKey(given), crawlKeyOf02(given)]);
    // The crawl of version 0.2 is not the one that was asked for: none of these may continue it.
    expect(keys).not.toContain(crawlKey(defaults));
    expect(new Set(keys).size).toBe(newer.length);
  });
});
