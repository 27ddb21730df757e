import { describe, expect, test } from 'vitest';
import { canonicalUrl } from './canonical-url.ts';

const base = 'https://example.com/docs/guide?v=2#top';
const canonical = (href: string) => canonicalUrl(href, base);

describe('a canonical URL', () => {
  test.each([
    ['/a', 'https://example.com/a'],
    ['intro', 'https://example.com/docs/intro'],
    ['../b', 'https://example.com/b'],
    ['./', 'https://example.com/docs/'],
    ['?page=2', 'https://example.com/docs/guide?page=2'],
    ['', 'https://example.com/docs/guide?v=2'],
    ['#a/b', 'https://example.com/docs/guide?v=2'],
    ['//cdn.example.com/x', 'https://cdn.example.com/x'],
    ['http://other.org/x', 'http://other.org/x'],
    [' \n/a\t', 'https://example.com/a'],
    ['/a\n/b', 'https://example.com/a/b'],
  ])('of the link %j is absolute', (href, url) => expect(canonical(href)).toBe(url));

  test.each([
    ['HTTP://EXAMPLE.com:80', 'http://example.com/'],
    ['https://example.com:443/#x', 'https://example.com/'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['https://example.com./a', 'https://example.com/a'],
    ['https://example.com.:8443/a', 'https://example.com:8443/a'],
    ['https://joe:secret@example.com/a@b', 'https://example.com/a@b'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['/a/./b/../c', 'https://example.com/a/c'],
    ['/a/%2e%2E/c', 'https://example.com/c'],
    ['/?', 'https://example.com/'],
    ['/?&', 'https://example.com/'],
    ['/a?b=1&&c=2&', 'https://example.com/a?b=1&c=2'],
    ['/%7Ejoe/%61%2fb%zz', 'https://example.com/~joe/a%2Fb%zz'],
    ['/a?q=%7e%3d+x', 'https://example.com/a?q=~%3D+x'],
    ['/a%252eb', 'https://example.com/a%252eb'],
    ['/a^b', 'https://example.com/a%5Eb'],
  ])('of %j drops what does not change the page', (href, url) => expect(canonical(href)).toBe(url));

  test.each([
    'mailto:joe@example.com',
    'javascript:void(0)',
    'ftp://example.com/',
    'data:text/html,x',
    'http://',
    'http://[::1',
    'http://a b/',
    'https://./',
    'https://example.com../',
    `/${'x'.repeat(2048)}`,
  ])('does not exist for %s', (href) => expect(canonical(href)).toBeNull());

  test('keeps what may change the page: order, repetition, doubled slashes, case of the path', () => {
    for (const path of ['/a//b', '/A/', '/a?b=2&a=1', '/a?x=1&x=2', '/a?b', '/a?b=', '/a;v=1/b'])
      expect(canonical(path)).toBe(`https://example.com${path}`);
  });

  test('needs no base for an absolute URL, and has none for a relative one without', () => {
    expect(canonicalUrl('https://example.com/a#b')).toBe('https://example.com/a');
    expect(canonicalUrl('/a')).toBeNull();
  });

  test('has a length limit that can be changed', () => {
    expect(canonicalUrl('/abc', base, { maxLength: 20 })).toBeNull();
    expect(canonicalUrl(`/${'x'.repeat(3000)}`, base, { maxLength: 4000 })).toHaveLength(3020);
  });

  test('stays the same when it is made again', () => {
    for (const href of [
      '/%41%2f?utm_id=1&b=%7e',
      '/a;jsessionid=1?sid=2',
      '/((S(abcdefgh12)))/x',
      '/a?%26=%2526',
    ]) {
      const once = canonical(href) as string;
      expect(canonicalUrl(once, base)).toBe(once);
    }
  });
});

describe('tracking parameters', () => {
  test('go, whatever their case, and others stay', () => {
    expect(canonical('/a?utm_source=x&id=7&UTM_Medium=y&gclid=1&fbclid=2&msclkid=3&mc_eid=4')).toBe(
      'https://example.com/a?id=7',
    );
    expect(canonical('/a?utm_source=x')).toBe('https://example.com/a');
    expect(canonical('/a?%75tm_source=x')).toBe('https://example.com/a');
    expect(canonical('/a?source=x&ref=y&utm=z')).toBe('https://example.com/a?source=x&ref=y&utm=z');
  });

  test('are kept on request', () => {
    expect(canonicalUrl('/a?utm_source=x', base, { keepTracking: true })).toBe(
      'https://example.com/a?utm_source=x',
    );
  });
});

describe('session ids', () => {
  const id = 'a8f5f167f44f4964e6c998dee827110c';

  test.each([
    [`/shop;jsessionid=${id}?x=1`, '/shop?x=1'],
    [`/shop;JSESSIONID=${id}.node1/item`, '/shop/item'],
    [`/a?PHPSESSID=${id}&x=1`, '/a?x=1'],
    [`/a?x=1&sid=${id}`, '/a?x=1'],
    ['/(S(lit3py55t21z5v55vlm25s55))/home.aspx', '/home.aspx'],
    [';jsessionid=1', '/docs/'],
  ])('in %j go', (href, path) => expect(canonical(href)).toBe(`https://example.com${path}`));

  test('are told from ids of things', () => {
    for (const path of ['/a?sid=12', '/a?s=hello', '/a?sid=some-long-story-about-cats', '/a;v=1', '/a(b)/c'])
      expect(canonical(path)).toBe(`https://example.com${path}`);
  });

  test('are kept on request', () => {
    expect(canonicalUrl('/a;jsessionid=1?PHPSESSID=2', base, { keepSessions: true })).toBe(
      'https://example.com/a;jsessionid=1?PHPSESSID=2',
    );
  });
});

describe('sorting the query', () => {
  test('is off unless asked for, and keeps the order of one name’s values', () => {
    expect(canonicalUrl('/a?b=2&a=1&b=1', base, { sortQuery: true })).toBe(
      'https://example.com/a?a=1&b=2&b=1',
    );
  });
});
