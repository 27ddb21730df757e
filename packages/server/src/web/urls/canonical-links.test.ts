import { describe, expect, test } from 'vitest';
import { CanonicalLinks } from './canonical-links.ts';
import { canonicalUrl } from './canonical-url.ts';

const bases = [
  'https://example.com/docs/pools/',
  'https://example.com/docs/',
  'http://example.com/docs/',
  'https://example.com:8443/a?b=c',
  'https://other.example/',
  'mailto:nobody@example.com',
];
const hrefs = [
  '/a',
  '/a?utm_source=x&b=1#top',
  '//example.org/a',
  'https://example.org/a/../b',
  'http:relative',
  'https:/odd',
  'a',
  '../a',
  '?page=2',
  '#top',
  '',
  'mailto:somebody@example.com',
  '/%7Euser;jsessionid=12',
  'HTTP://EXAMPLE.ORG/',
];

describe('remembered links', () => {
  test('are what the canonical form is, whichever page asked first', () => {
    const links = new CanonicalLinks({});
    for (const round of [1, 2, 3])
      for (const base of bases)
        for (const href of hrefs)
          expect([round, base, href, links.of(href, base)]).toEqual([
            round,
            base,
            href,
            canonicalUrl(href, base),
          ]);
  });

  test('keep to the options of the crawl', () => {
    const href = '/a?utm_source=x&b=1&a=2';
    const links = new CanonicalLinks({ sortQuery: true, keepTracking: true });
    for (const _ of [1, 2])
      expect(links.of(href, 'https://example.com/')).toBe('https://example.com/a?a=2&b=1&utm_source=x');
  });

  test('are bounded in number, and right when they were forgotten', () => {
    const links = new CanonicalLinks({}, 100);
    for (let n = 0; n < 1_000; n++) {
      for (const path of [`/page-${n}`, '/navigation', `/page-${n % 70}`])
        expect(links.of(path, `https://host-${n % 7}.example/`)).toBe(`https://host-${n % 7}.example${path}`);
      expect(links.size).toBeLessThanOrEqual(100);
    }
  });
});
