import { expect, test } from 'vitest';
import { forbiddenOrigins } from './hand-back.ts';

const allowed = ['http://localhost:7220', 'http://xn--bcher-kva.localhost'];

test('what a crawl needs is allowed in any spelling', () => {
  const needed = ['http://LOCALHOST:7220/', 'http://localhost:7220', 'http://bücher.localhost:80'];
  expect(forbiddenOrigins({ needs_private: needed }, allowed)).toEqual([]);
});

test('what is not allowed is named as it was written, also where it is no origin', () => {
  const needed = ['http://LOCALHOST:7221', 'https://localhost:7220', 'localhost', 'http://localhost:7220'];
  expect(forbiddenOrigins({ needs_private: needed }, allowed)).toEqual(needed.slice(0, 3));
});

test('a crawl that needs nothing private may be fetched by anybody', () => {
  expect(forbiddenOrigins({ needs_private: 'http://localhost' }, [])).toEqual([]);
  expect(forbiddenOrigins({}, [])).toEqual([]);
});
