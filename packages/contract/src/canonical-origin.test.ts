import { expect, test } from 'vitest';
import { canonicalOrigin } from './canonical-origin.ts';

test.each([
  ['http://127.0.0.1:7220/', 'http://127.0.0.1:7220'],
  ['HTTP://LOCALHOST:7220', 'http://localhost:7220'],
  ['http://bücher.localhost:7220', 'http://xn--bcher-kva.localhost:7220'],
  ['https://example.com:443', 'https://example.com'],
  ['http://example.com/a/path', 'http://example.com'],
])('%s is %s', (text, origin) => {
  expect(canonicalOrigin(text)).toBe(origin);
});

test.each(['localhost:80', 'ftp://example.com', 'http://', 'file:///etc', ''])('%j names none', (text) => {
  expect(canonicalOrigin(text)).toBeUndefined();
});
