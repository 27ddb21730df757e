import { describe, expect, test } from 'vitest';
import { canonicalUrl } from './canonical-url.ts';
import { urlRules } from './url-rules.ts';

const site = 'https://example.com';

test('a plus and a percent-encoded space are the same in a query, and nowhere else', () => {
  const { identity } = urlRules[2];
  expect(identity(`${site}/a?q=x%20y+z`)).toBe(identity(`${site}/a?q=x+y%20z`));
  for (const [one, other] of [
    ['/a%20b', '/a+b'],
    ['/a?q=%2B', '/a?q=+'],
    ['/a%20b?q=1', '/a+b?q=1'],
    ['/a?q=', '/a?q'],
    ['/a?b=1&a=2', '/a?a=2&b=1'],
  ])
    expect(identity(site + one)).not.toBe(identity(site + other));
});

/** What version 0.2 made of these. Its hashes are in databases. */
describe('the rules of version 0.2 stay as they were', () => {
  const id = 'a8f5f167f44f4964e6c998dee827110c';
  test.each([
    ['/p?session_id=7&b=1', '/p?b=1'],
    ['/p?CFID=12&cftoken=x', '/p'],
    ['/p?aspsessionidabc=1', '/p'],
    ['/p?sid=2024-fall-semester', '/p'],
    ['/p?s=iphone-15-pro-max-256', '/p'],
    [`/p?sid=${id}`, '/p'],
    ['/p?sid=12&s=words-of-a-story', '/p?sid=12&s=words-of-a-story'],
    ['/p?pk_id=1&hsa_x=2&utm_zone=3&scid=4', '/p'],
    ['/p?spm=1&wt_mc=2&at_medium=3', '/p?spm=1&wt_mc=2&at_medium=3'],
    ['/p;jsessionid=1/x', '/p/x'],
    ['/(S(springsale))/x', '/x'],
    ['/p?q=a+b%20c', '/p?q=a+b%20c'],
  ])('%s is %s', (href, path) => {
    expect(canonicalUrl(href, `${site}/`, { rules: urlRules[1] })).toBe(site + path);
  });

  test('and two spellings are two URLs', () => {
    expect(urlRules[1].identity(`${site}/a?q=x%20y`)).toBe(`${site}/a?q=x%20y`);
  });
});
