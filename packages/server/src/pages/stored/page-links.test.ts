import { expect, test } from 'vitest';
import { allLinks, followedLinks, linkLines } from './page-links.ts';

test.each<[string[], string[]]>([
  [[], []],
  [['https://a.example/1'], []],
  [['https://a.example/1', 'https://a.example/2'], ['https://a.example/login']],
  [[], ['https://a.example/login', 'https://b.example/']],
])('links %j and %j come back as they were stored', (followed, others) => {
  const lines = linkLines(followed, others);
  expect(followedLinks(lines)).toEqual(followed);
  expect(allLinks(lines)).toEqual([...followed, ...others]);
});
