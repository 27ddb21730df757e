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
      '/a;jsessionid=a8f5f167f44f4964e6c998dee827110c?sid=2',
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

  test.each([
    ...['spm', 'wt_mc', '_branch_match_id', 'guccounter', 'at_medium', 'xtor', 'wprov'],
    ...[
      'pk_campaign',
      'pk_kwd',
      'mtm_source',
      'piwik_kwd',
      'matomo_campaign',
      'utm_source_platform',
      'hsa_acc',
    ],
  ])('named %s go', (name) => {
    expect(canonical(`/a?${name}=x1&id=7`)).toBe('https://example.com/a?id=7');
  });

  test.each(['pk_id', 'pk_product', 'piwik_version', 'mtm_7', 'utm_zone', 'scid', 'hsa_plan', 'at_time'])(
    'are not what is only named alike: %s stays',
    (name) => {
      expect(canonical(`/a?${name}=x1`)).toBe(`https://example.com/a?${name}=x1`);
    },
  );

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
    [`;jsessionid=${id}`, '/docs/'],
    [`/a?session_id=${id}`, '/a'],
    ['/a?SESSION=4c9184f37cff01bcdc32dc486ec36961&b=1', '/a?b=1'],
    ['/a?s=k3u8q1n0v7c2m5t9r4p6w8x0z1', '/a'],
    [`/shop;jsessionid=${id}!-1247!1`, '/shop'],
  ])('in %j go', (href, path) => expect(canonical(href)).toBe(`https://example.com${path}`));

  test('are told from ids of things', () => {
    const values = [
      ...['', '1', '4', '12', '20240105', '1234567890123456', 'hello', 'some-long-story-about-cats'],
      ...[
        '2024-fall-semester',
        'iphone-15-pro-max-256',
        '2024-03-15-abc123-def456',
        'introduction_to_sql_2024',
      ],
      ...[
        'HarryPotterAndTheGobletOfFire2005',
        '20240315T093000Z-room4',
        '0b9f7f4e-6c1d-4c8e-9a55-3f2b8c1e7d10',
      ],
    ];
    const names = ['sid', 's', 'sess', 'session', 'session_id', 'sessionid', 'sessid', 'cfid', 'cftoken'];
    for (const name of [...names, 'jsessionid', 'PHPSESSID', 'ASPSESSIONIDABCD'])
      for (const value of values) expect(canonical(`/a?${name}=${value}`)).toContain(`${name}=${value}`);
    for (const path of ['/a;v=1', '/a(b)/c', '/a;sid=12', '/a;jsessionid=7/b', '/(S(springsale))/x'])
      expect(canonical(path)).toBe(`https://example.com${path}`);
  });

  test('are kept on request', () => {
    expect(canonicalUrl(`/a;jsessionid=${id}?PHPSESSID=${id}`, base, { keepSessions: true })).toBe(
      `https://example.com/a;jsessionid=${id}?PHPSESSID=${id}`,
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
