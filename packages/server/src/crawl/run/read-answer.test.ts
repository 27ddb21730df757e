import { expect, test } from 'vitest';
import { forbidsFollowing } from './read-answer.ts';

test.each([
  'nofollow',
  'None',
  'noindex, nofollow',
  'noarchive\nNOFOLLOW',
  'noindex nofollow',
  'holdfast: nofollow',
  'Holdfast/1.0 : noindex, nofollow',
  '*: nofollow',
  'otherbot: noindex\nnofollow',
  'otherbot: noindex, holdfast: none',
  'unavailable_after: Friday, 25 Jun 2010 15:00:00 GMT, nofollow',
])('%j forbids to follow the links of the page', (tag) => {
  expect(forbidsFollowing(tag, 'Holdfast')).toBe(true);
});

test.each([
  '',
  'noindex',
  'all, follow',
  'otherbot: nofollow',
  'otherbot: noindex, nofollow',
  'otherbot: none\nholdfast: noindex',
  'holdfast-images: nofollow',
  'max-image-preview: none',
  'notranslate, max-snippet: 20, unavailable_after: 25 Jun 2010 15:00:00 PST',
])('%j does not', (tag) => {
  expect(forbidsFollowing(tag, 'Holdfast')).toBe(false);
});
