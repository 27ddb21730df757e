import { describe, expect, test } from 'vitest';
import { pathShape } from './path-shape.ts';
import { suspectScript } from './suspect-script.ts';

const text = 'Some words of a page that is complete as it came from its server. '.repeat(20);
const suspect = (html: string, links = 10, url = 'https://example.com/a') =>
  suspectScript({ url, body: Buffer.from(html), links });

describe('a page is suspected of needing JavaScript', () => {
  test.each([
    ['an empty mount point', '<body><div id="root"></div><script src="/a.js"></script>', 'empty'],
    ['a shell with a greeting', '<body><app-root>Loading …</app-root><script>go()</script>', 'empty'],
    [
      'a plea for JavaScript',
      `<body><p>${'word '.repeat(60)}</p><noscript>Please enable JavaScript to see this page.</noscript><script></script>`,
      'noscript',
    ],
    [
      'little text in much page',
      `<body><p>${'word '.repeat(60)}</p><script>${'x'.repeat(50_000)}</script>`,
      'thin',
    ],
    ['the marks of a framework', `<body><p>${text}</p><script type="module" src="/a.js"></script>`, 'markup'],
  ])('by %s', (_, html, suspicion) => {
    expect(suspect(html)).toBe(suspicion);
  });

  test('by links that only a script can have made', () => {
    expect(suspect(`<body><p>${text}</p><script src="/a.js"></script>`, 0)).toBe('no_links');
  });

  test('by a route behind #', () => {
    expect(suspect(`<p>${text}`, 10, 'https://example.com/#/about')).toBe('hash_route');
    expect(suspect(`<p>${text}`, 10, 'https://example.com/#about')).toBeUndefined();
  });
});

test.each([
  ['without a script', `<p>${text}`],
  ['short, without a script', '<p>Hello'],
  ['with an ordinary script', `<p>${text}<script>console.log(1)</script>`],
  ['in another language', `<p>${'Несколько слов страницы. '.repeat(60)}<script>var a = 1</script>`],
  ['without spaces between words', `<p>${'これは文章です。'.repeat(100)}<script>var a = 1</script>`],
])('a page %s is complete', (_, html) => {
  expect(suspect(html)).toBeUndefined();
});

test.each([
  ['https://example.com/', '/'],
  ['https://example.com/about', '/about'],
  ['https://example.com/p/123?x=1', '/p/*'],
  ['https://example.com/blog/how-to-do-it/part', '/blog/*/*'],
  ['https://example.com/item-4711', '/*'],
])('%s has the shape %s', (url, shape) => {
  expect(pathShape(url)).toBe(shape);
});
