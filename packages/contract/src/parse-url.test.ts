import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.ts';

test('letters of any script are letters, however often it is asked', () => {
  const refused = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example/ü')).filter(
    (url) => !url,
  );
  expect(refused).toHaveLength(0);
});

test('what is no URL is none, and a link is read from its place', () => {
  expect(parseUrl('bücher')).toBeUndefined();
  expect(parseUrl('ü', 'https://example.com/a/b')?.href).toBe('https://example.com/a/%C3%BC');
});
