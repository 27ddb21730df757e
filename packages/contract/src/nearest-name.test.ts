import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = ['max_pages', 'max_depth', 'max_retries', 'url'];

test.each<[string, string | undefined]>([
  ['maxpages', 'max_pages'],
  ['maxPages', 'max_pages'],
  ['max-page', 'max_pages'],
  ['max_dept', 'max_depth'],
  ['limit', 'max_pages'],
  ['limits', 'max_pages'],
  ['colour', undefined],
  ['ur', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%s', (given, meant) => {
  expect(nearestName(given, known, { limit: 'max_pages' })).toBe(meant);
});
