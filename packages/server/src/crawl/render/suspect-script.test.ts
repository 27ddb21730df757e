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
  ['an empty list', '<ul class="results"></ul><script src="/a.js"></script>', 'mount'],
  [
    'an empty mount point among much text',
    '<div id="app"><!-- --></div><script src="/a.js"></script>',
    'mount',
  ],
  ['a skeleton', '<div class="card skeleton-card"><i></i></div><script src="/a.js"></script>', 'mount'],
  ['an element that is busy', '<section aria-busy="true"></section><script src="/a.js"></script>', 'mount'],
  [
    'a plea in much text',
    '<noscript>JavaScript is required.</noscript><script src="/a.js"></script>',
    'noscript',
  ],
  ['elements that lead on by a click', '<div onclick="location.href=\'/a\'">a</div>', 'clicks'],
  ['links without an address', '<a class="next">next</a><script src="/a.js"></script>', 'clicks'],
  [
    'its data',
    `<script type="application/json">${'{"a":"b"}'.repeat(500)}</script><script>go()</script>`,
    'data',
  ],
  ['a script of unknown content', '<script src="/a.js"></script>', 'script'],
  ['a script that leads away', "<script>location.replace('/b')</script>", 'script'],
])('a page with text and links is suspected by %s', (_, html, suspicion) => {
  expect(suspect(`<body><p>${text}</p>${html}`)).toBe(suspicion);
});

test('a hostile page is looked at in no time', () => {
  const parts = [
    '<',
    '<!--',
    '<noscript',
    '<noscript>',
    '<div',
    '<div id=',
    '<ul><!--',
    '<script',
    '<a ',
    ' id="',
  ];
  const more = [' onclick="', '<script type=application/json>', ' data-x=', '<a-', '<head', " class='open("];
  for (const part of [...parts, ...more]) {
    const html = `<script src=x></script><p>${text}${part.repeat(512_000 / part.length)}`;
    const before = process.cpuUsage();
    suspect(html);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000, part).toBeLessThan(1_500);
  }
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
