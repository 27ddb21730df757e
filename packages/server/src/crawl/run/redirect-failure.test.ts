import { expect, test } from 'vitest';
import { redirectFailure } from './redirect-failure.ts';

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
