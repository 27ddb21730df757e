import fc from 'fast-check';
import { expect, test } from 'vitest';
import { urlHash } from '../urls/url-hash.ts';
import { HashSet } from './hash-set.ts';
import { KnownUrls } from './known-urls.ts';

type Words = [number, number, number, number];
const has = (set: HashSet, words: Words) => set.has(...words);

test('a set of hashes has what was added and nothing else, also hashes that begin alike', () => {
  const word = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffff_ffff }));
  const hash = fc
    .tuple(word, word, word, word)
    .filter((words) => words.some((one) => one !== 0))
    .map((words) => words as Words);
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 1_500, size: 'max' }), fc.array(hash), (added, others) => {
      const set = new HashSet();
      for (const words of added) set.add(...words);
      const expected = new Set(added.map(String));
      expect(set.size).toBe(expected.size);
      for (const words of added) expect(has(set, words)).toBe(true);
      for (const words of others) expect(has(set, words)).toBe(expected.has(String(words)));
    }),
    { numRuns: 20 },
  );
});

test('a URL is known again by its hash, however the hash came, and then by itself', () => {
  const known = new KnownUrls();
  const [added, recalled, other] = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
  known.add(added, urlHash(added));
  known.addHashes(Buffer.from(urlHash(recalled).replaceAll('-', ''), 'hex'));
  expect([added, recalled, other].map((url) => known.has(url))).toEqual([true, false, false]);
  expect([recalled, other].map((url) => known.hasHash(url, urlHash(url)))).toEqual([true, false]);
  expect([recalled, other].map((url) => known.has(url))).toEqual([true, false]);
});

test('of a million URLs, all are known by their hashes in less than 64 MB', () => {
  const count = 1_000_000;
  const hashes = Buffer.alloc(16 * count);
  for (let n = 0; n < count; n++) {
    hashes.writeUInt32BE(Math.imul(n, 0x9e37_79b1) >>> 0, 16 * n);
    hashes.writeUInt32BE(n, 16 * n + 12);
  }
  const before = process.memoryUsage().arrayBuffers;
  const known = new KnownUrls();
  known.addHashes(hashes);
  expect((process.memoryUsage().arrayBuffers - before) / 2 ** 20).toBeLessThan(64);
  const uuid = (n: number) =>
    hashes.toString('hex', 16 * n, 16 * n + 16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  for (let n = 1; n < count; n += 997) expect(known.hasHash(`http://a.test/${n}`, uuid(n))).toBe(true);
});
