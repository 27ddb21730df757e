import { expect, test } from 'vitest';
import { hostOf } from './canonical-url.ts';
import { hashWords, urlHash } from './hashes.ts';
import { resolveLink } from './plain-link.ts';

test('a URL’s hash is the first half of its SHA-256, as uuid text', () => {
  expect(urlHash('https://example.com/')).toBe('0f115db0-62b7-c0dd-030b-16878c99dea5');
});

test('the words of a hash are its text', () => {
  for (const url of ['https://example.com/', 'http://a.test/ü?q=1', '']) {
    const digits = hashWords(url).map((word) => word.toString(16).padStart(8, '0'));
    expect(digits.join('')).toBe(urlHash(url).replaceAll('-', ''));
  }
});

test('the host of a URL has its port, unless it is the default', () => {
  expect(hostOf('https://example.com/a:1/')).toBe('example.com');
  expect(hostOf('http://127.0.0.1:8080/')).toBe('127.0.0.1:8080');
  expect(hostOf('http://[::1]:8080/')).toBe('[::1]:8080');
});

test('a link resolves as in a browser, whatever its scheme, and never throws', () => {
  expect(resolveLink(' ../x\n', 'https://example.com/a/b')).toBe('https://example.com/x');
  expect(resolveLink('mailto:a@b', 'https://example.com/')).toBe('mailto:a@b');
  expect(resolveLink('http://[', 'https://example.com/')).toBeNull();
  expect(resolveLink('x', 'not a base')).toBeNull();
});
