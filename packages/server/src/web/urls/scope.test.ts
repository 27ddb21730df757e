import { HoldfastError } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { createScope, type ScopeOptions } from './scope.ts';

const verdict = (options: Partial<ScopeOptions>, url: string, depth = 1) =>
  createScope({ seed: 'https://www.example.com/', ...options }).verdict(url, depth);

describe('a scope of one host', () => {
  test('takes http and https as one site, and another port as another host', () => {
    expect(verdict({}, 'http://www.example.com/a')).toBe('in');
    expect(verdict({}, 'https://www.example.com:8443/a')).toBe('off_host');
  });

  test('leaves out every other host', () => {
    for (const host of ['example.com', 'blog.example.com', 'www.example.com.evil.org', 'evilwww.example.com'])
      expect(verdict({}, `https://${host}/`)).toBe('off_host');
  });

  test('is joined by the host the seed redirects to', () => {
    const scope = createScope({ seed: 'http://example.com/', include: ['/blog/**'] });
    expect(scope.verdict('https://www.example.com/en/', 0)).toBe('off_host');
    scope.admitSeed('https://www.example.com/en/');
    expect(scope.verdict('https://www.example.com/en/', 0)).toBe('in');
    expect(scope.verdict('https://www.example.com/blog/1', 1)).toBe('in');
    expect(scope.verdict('https://www.example.com/en/shop', 1)).toBe('not_included');
    expect(scope.verdict('http://example.com/blog/1', 1)).toBe('in');
    scope.admitHost('example.net');
    expect(scope.verdict('http://example.net/blog/1', 1)).toBe('in');
  });
});

test('a seed is in with its tracking and without', () => {
  const scope = createScope({ seed: 'https://example.com/a?utm_source=x', include: ['/docs/**'] });
  expect(scope.verdict('https://example.com/a?utm_source=x', 0)).toBe('in');
  expect(scope.verdict('https://example.com/a', 1)).toBe('in');
  expect(scope.verdict('https://example.com/a?utm_source=y', 1)).toBe('not_included');
});

describe('a scope of subdomains', () => {
  test('spreads over the registrable domain', () => {
    for (const host of ['example.com', 'blog.example.com', 'a.b.example.com'])
      expect(verdict({ scope: 'subdomains' }, `https://${host}/`)).toBe('in');
    for (const host of ['example.org', 'notexample.com'])
      expect(verdict({ scope: 'subdomains' }, `https://${host}/`)).toBe('off_host');
  });

  test('knows suffixes of two labels, and private ones', () => {
    const shop = { scope: 'subdomains', seed: 'https://shop.co.uk/' } as const;
    expect(verdict(shop, 'https://www.shop.co.uk/')).toBe('in');
    expect(verdict(shop, 'https://other.co.uk/')).toBe('off_host');
    const pages = { scope: 'subdomains', seed: 'https://joe.github.io/' } as const;
    expect(verdict(pages, 'https://ann.github.io/')).toBe('off_host');
  });

  test('is the one host where there is no domain', () => {
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080', 'github.io']) {
      const options = { scope: 'subdomains', seed: `http://${host}/` } as const;
      expect(verdict(options, `http://${host}/a`)).toBe('in');
      expect(verdict(options, 'http://127.0.0.2/')).toBe('off_host');
    }
  });
});

test('a scope of any host has no borders but the others', () => {
  expect(verdict({ scope: 'any' }, 'https://other.org/')).toBe('in');
  expect(verdict({ scope: 'any', pathPrefix: '/docs' }, 'https://other.org/')).toBe('outside_prefix');
});

describe('limits inside a scope', () => {
  test('depth counts from the seed at 0', () => {
    expect(verdict({ maxDepth: 2 }, 'https://www.example.com/a', 2)).toBe('in');
    expect(verdict({ maxDepth: 2 }, 'https://www.example.com/a', 3)).toBe('too_deep');
  });

  test('a path prefix is for whole segments', () => {
    for (const pathPrefix of ['/docs', '/docs/', 'docs']) {
      for (const path of ['/docs', '/docs/', '/docs/a', '/docs?a=b'])
        expect(verdict({ pathPrefix }, `https://www.example.com${path}`)).toBe('in');
      for (const path of ['/docsets', '/other', '/a/docs'])
        expect(verdict({ pathPrefix }, `https://www.example.com${path}`)).toBe('outside_prefix');
    }
  });

  test('the seed is in even if it lies outside the prefix or matches no include', () => {
    const options = { pathPrefix: '/docs', include: ['/docs/**'] };
    expect(verdict(options, 'https://www.example.com/', 0)).toBe('in');
    expect(verdict(options, 'https://www.example.com/a', 1)).toBe('outside_prefix');
  });

  test('exclude wins over include, and binds the seed', () => {
    const options = { include: ['/blog/**'], exclude: ['/blog/tag/**', '/\\?replytocom=/'] };
    expect(verdict(options, 'https://www.example.com/blog/a')).toBe('in');
    expect(verdict(options, 'https://www.example.com/blog/tag/a')).toBe('excluded');
    expect(verdict(options, 'https://www.example.com/blog/a?replytocom=1')).toBe('excluded');
    expect(verdict(options, 'https://www.example.com/shop')).toBe('not_included');
    expect(verdict({ exclude: ['/**'] }, 'https://www.example.com/', 0)).toBe('excluded');
  });
});

test('a seed that is no web address is refused', () => {
  for (const seed of ['example.com', 'ftp://example.com/', ''])
    expect(() => createScope({ seed })).toThrow(HoldfastError);
});
