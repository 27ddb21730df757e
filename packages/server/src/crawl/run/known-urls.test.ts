import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import { HashSet, KnownUrls, maxHashes, recallUrls } from './known-urls.ts';

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
  known.add(added);
  known.addHashes(Buffer.from(urlHash(recalled).replaceAll('-', ''), 'hex'));
  expect([added, recalled, other].map((url) => known.has(url))).toEqual([true, false, false]);
  expect([recalled, other].map((url) => known.hasHash(url))).toEqual([true, false]);
  expect([recalled, other].map((url) => known.has(url))).toEqual([true, false]);
});

/** Different hashes, half of which begin alike. */
const hashOf = (n: number): Words => [Math.imul(n >> 1, 0x9e37_79b1) >>> 0, 0, 0, n + 1];

test('a set that is full takes no more hashes, and forgets none', () => {
  const set = new HashSet();
  for (let n = 0; n < maxHashes + 10; n++) set.add(...hashOf(n));
  expect(set.size).toBe(maxHashes);
  for (let n = 0; n < maxHashes; n += 997) expect(has(set, hashOf(n))).toBe(true);
  for (let n = maxHashes; n < maxHashes + 10; n++) expect(has(set, hashOf(n))).toBe(false);
});

const queue = new QueueFixture();
const urls = Array.from({ length: 30 }, (_, n) => `http://a.test/${n}`);

async function recalled(visited: readonly string[], isOver: () => boolean): Promise<string[]> {
  const job = await queue.claimedOne();
  await queue.pool.query('INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, unnest($2::uuid[])', [
    job.id,
    visited.map(urlHash),
  ]);
  const known = new KnownUrls();
  const context = { db: queue.pool, job, known, log: pino({ level: 'silent' }) };
  await recallUrls(context, { expected: visited.length, partSize: 10 }, isOver);
  return urls.filter((url) => known.hasHash(url));
}

test('a run that goes on with a crawl knows again what the crawl has met, and nothing else', async () => {
  expect(await recalled(urls.slice(0, 25), () => false)).toEqual(urls.slice(0, 25));
});

test('a run that is over recalls no more', async () => {
  const count = (await recalled(urls, () => true)).length;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(urls.length / 2);
});
