import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalUrl } from './canonical-url.ts';
import { plainLink, resolveLink } from './plain-link.ts';

const pieces = fc.constantFrom(
  ...[
    '/',
    '//',
    '.',
    '../..',
    '%2e',
    '%2E',
    '%41',
    '%',
    ':',
    '?',
    '#',
    '&',
    '=',
    '@',
    '\\',
    ' ',
    '\n',
    '\t',
    '\0',
  ],
  ...[
    'a',
    'B',
    'foo',
    '7',
    '~',
    "'",
    '"',
    '|',
    '^',
    '[',
    ']',
    '{',
    '`',
    ';',
    '(',
    'ü',
    '\u{1f600}',
    '+',
    '-',
    '_',
  ],
  ...[
    'http:',
    'https://',
    'http://',
    'example.com',
    'xn--a',
    '127.1',
    '0x7f',
    ':80',
    ':8080',
    'javascript:',
    'www.',
  ],
);
const hrefs = fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join(''));
const bases = fc.constantFrom(
  'https://example.com/docs/guide?v=2#top',
  'http://127.0.0.1:8080/',
  'https://user:pw@example.com/a/b/',
  'http://example.com',
  'https://example.com/%7ejoe/;jsessionid=1/x%2fy?q',
  'https://example.com./a/b',
  'file:///tmp/x',
  'about:blank',
);

test('a link taken without the parser is what the parser makes of it', () => {
  let plain = 0;
  fc.assert(
    fc.property(hrefs, bases, (href, base) => {
      const link = plainLink(href, base);
      if (link === null) return;
      plain++;
      const parsed = new URL(href, base);
      expect(link.document).toBe(parsed.origin + parsed.pathname);
      expect(link.query).toBe(parsed.search.slice(1));
    }),
    { numRuns: 10_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

test('a URL is the same by either way', () => {
  fc.assert(
    fc.property(hrefs, bases, (href, base) => {
      const parsed = resolveLink(href, base);
      expect(canonicalUrl(href, base)).toBe(parsed === null ? null : canonicalUrl(parsed));
    }),
    { numRuns: 10_000 },
  );
});

test('a canonical URL is its own canonical form', () => {
  fc.assert(
    fc.property(hrefs, bases, (href, base) => {
      const canonical = canonicalUrl(href, base);
      if (canonical !== null) expect(canonicalUrl(canonical)).toBe(canonical);
    }),
    { numRuns: 10_000 },
  );
});

test('the links that pages are made of need no parser', () => {
  const base = 'https://example.com/docs/';
  for (const href of ['/a/b.html', 'b?c=d', '?x=1', 'https://www.example.org/a-b/c?d=e&f=%20#g', `${base}x`])
    expect(plainLink(href, base)).not.toBeNull();
});
