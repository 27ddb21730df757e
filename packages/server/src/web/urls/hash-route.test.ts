import { expect, test } from 'vitest';
import { isHashRoute, withHashRoute } from './hash-route.ts';

const page = 'https://example.com/';

test.each([
  ['#/about', `${page}#/about`],
  ['/#!/about', `${page}#!/about`],
  ['#/a b?x=1', `${page}#/a%20b?x=1`],
  ['#/a%20b', `${page}#/a%20b`],
  ['#/', page],
  ['#about', page],
  ['/about', page],
])('a link to %s leads to %s', (href, url) => {
  expect(withHashRoute(page, href)).toBe(url);
});

test('what is no page stays none, and a place in a document is no route', () => {
  expect(withHashRoute(null, '#/about')).toBeNull();
  expect(isHashRoute(`${page}#/about`)).toBe(true);
  expect(isHashRoute(`${page}#about`)).toBe(false);
});
