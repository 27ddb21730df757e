import { HoldfastError } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { compilePattern, compilePatterns } from './compile-pattern.ts';

const site = 'https://www.example.com';

describe('a glob', () => {
  test.each([
    ['/blog/*', ['/blog/a', '/blog/', '/blog/a?page=2'], ['/blog/a/b', '/blog', '/x/blog/a']],
    ['/blog/**', ['/blog', '/blog/', '/blog/a/b', '/blog?x'], ['/blogs', '/a/blog/b']],
    ['**/tag/**', ['/tag', '/tag/a', '/a/b/tag/c'], ['/tags/a', '/a/stag/']],
    ['/a/**/z', ['/a/z', '/a/b/z', '/a/b/c/z'], ['/az', '/a/b/zz']],
    ['*.pdf', ['/x.pdf', '/a/b/x.pdf', '/x.pdf?download=1'], ['/x.pdf.html', '/xpdf']],
    ['admin', ['/admin', '/a/admin/b'], ['/administrator', '/?admin']],
    ['docs/*', ['/docs/a'], ['/a/docs/b']],
    ['/search?q=*', ['/search?q=a/b'], ['/search', '/search?p=1', '/xsearchq=1']],
    ['*?replytocom=*', ['/a/b?replytocom=1'], ['/a/b', '/a?x&replytocom=1']],
    ['?print=1', ['/a/b?print=1'], ['/a/b?print=12']],
    ['https://www.example.com/a/*', ['/a/b'], ['/b/a']],
    ['//*.example.com/**', ['/', '/a/b'], []],
    ['//other.org/**', [], ['/', '/a']],
    ['/a.b(c)[d]+$^', ['/a.b(c)[d]+$^'], ['/aXb(c)[d]+$^']],
  ])('%s', (pattern, matching, others) => {
    const matches = compilePattern(pattern);
    for (const path of matching) expect([path, matches(site + path)]).toEqual([path, true]);
    for (const path of others) expect([path, matches(site + path)]).toEqual([path, false]);
  });

  test('with a host is for http and https alike', () => {
    expect(compilePattern('https://www.example.com/a')('http://www.example.com/a')).toBe(true);
  });
});

describe('a regular expression', () => {
  test('is found anywhere in the URL, in any case on request', () => {
    expect(compilePattern('/\\.(pdf|zip)$/')(`${site}/a.zip`)).toBe(true);
    expect(compilePattern('/example\\.com\\/\\d+/')(`${site}/42/x`)).toBe(true);
    expect(compilePattern('/PDF$/')(`${site}/a.pdf`)).toBe(false);
    expect(compilePattern('/PDF$/i')(`${site}/a.pdf`)).toBe(true);
  });

  test('cannot stall: what takes V8 minutes takes no time', async () => {
    const matches = compilePattern('/^(a+)+$/');
    const match = () => expect(matches(`${'a'.repeat(2000)}b`)).toBe(false);
    expect(await cpuSeconds(match)).toBeLessThan(2);
  });
});

describe('a bad pattern is refused with its reason', () => {
  test.each([
    '/(/',
    '/a{2000}/',
    '/((a{100}){100}){100}/',
    '/(?=x)/',
    '/products/**/',
    '',
    '  ',
    'x'.repeat(513),
  ])('%j', (pattern) => {
    const refused = expect(() => compilePattern(pattern));
    refused.toThrow(HoldfastError);
    refused.toThrow(/pattern/);
  });

  test('and so are more than a hundred', () => {
    expect(() => compilePatterns(Array(101).fill('/a'), 'include')).toThrow('include has 101 patterns');
  });
});
