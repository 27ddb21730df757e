import { expect, test } from 'vitest';
import { RedirectTrail, redirectFailure } from './redirects.ts';

test('a redirect closes a loop when others lead from its target back to it', () => {
  const trail = new RedirectTrail();
  expect(trail.leads('a', 'a')).toBe(true);
  expect(trail.leads('b', 'a')).toBe(false);
  trail.add('b', 'c');
  trail.add('c', 'a');
  expect(trail.leads('b', 'a')).toBe(true);
  expect(trail.leads('b', 'd')).toBe(false);
});

test('a loop that the URL at hand only leads into has an end', () => {
  const trail = new RedirectTrail();
  trail.add('b', 'c');
  trail.add('c', 'b');
  expect(trail.leads('b', 'a')).toBe(false);
});

test.each([
  [302, 'file:///etc/passwd', 'url_invalid', 'HTTP 302 leads to file:///etc/passwd'],
  [301, 'javascript:1', 'url_invalid', 'HTTP 301 leads to javascript:1'],
  [307, 'http://[::bad', 'url_invalid', 'HTTP 307 leads to http://[::bad'],
  [300, '/choice', 'url_invalid', 'HTTP 300 offers a choice, and prefers /choice'],
  [302, undefined, 'response_invalid', 'HTTP 302 without a Location'],
  [302, '\0x\ty', 'url_invalid', 'HTTP 302 leads to  x y'],
  [302, 'z'.repeat(5000), 'url_invalid', `HTTP 302 leads to ${'z'.repeat(300)}…`],
])('a redirect %i to %s fails as %s and names its target', (status, location, code, detail) => {
  const headers: Record<string, string> = location === undefined ? {} : { location };
  expect(redirectFailure({ status, headers })).toMatchObject({ code, detail, retry: 'never' });
});
