import { expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { readLinkList } from './read-link-list.ts';

const base = 'https://example.com/docs/llms.txt';
const urls = (text: string) => readLinkList(text, base).map(({ url }) => url);

test('an llms.txt gives its links with their titles', () => {
  const text = `# Example
> See [the guide](guide.md "Guide") first.

## Docs
- [API (v2)](/api_(v2).html): the reference, https://example.com/raw.
- [Same](https://example.com/docs/guide.md) ![logo](logo.png) <https://example.com/auto>
[ref]: ../other.html`;
  expect(readLinkList(text, base)).toEqual([
    { url: 'https://example.com/docs/guide.md', title: 'the guide' },
    { url: 'https://example.com/api_(v2).html', title: 'API (v2)' },
    { url: 'https://example.com/raw', title: '' },
    { url: 'https://example.com/auto', title: '' },
    { url: 'https://example.com/other.html', title: 'ref' },
  ]);
});

test('a plain text file gives its bare URLs', () => {
  expect(urls('https://a.com/1\r\nhttps://a.com/2?x=1&y=2, and (https://a.com/3).')).toEqual([
    'https://a.com/1',
    'https://a.com/2?x=1&y=2',
    'https://a.com/3',
  ]);
});

test('code, other schemes and images are no links', () => {
  expect(
    urls('```\nhttps://a.com/\n```\n[m](mailto:a@b.c) [j](javascript:x) ![i](i.png)\n~~~\n[x](y)'),
  ).toEqual([]);
});

test('a hostile text takes no time, and the number of links has a limit', async () => {
  const seconds = await cpuSeconds(() => {
    for (const piece of ['[', '](', '[](', '!', '(', 'http://', '`'])
      expect(urls(piece.repeat(500_000)).length).toBeLessThan(2);
  });
  expect(seconds).toBeLessThan(10);
  expect(readLinkList('https://a.com/1 https://a.com/2 https://a.com/3', base, 2)).toHaveLength(2);
});
