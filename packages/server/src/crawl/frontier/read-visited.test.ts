import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import { readVisited } from './read-visited.ts';

const queue = new QueueFixture();
const met = 'INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, unnest($2::uuid[])';

async function visited(jobId: string, expected: number, mayContinue = () => true): Promise<string[][]> {
  const parts: string[][] = [];
  await readVisited(queue.pool, jobId, { expected, partSize: 5, partsAtOnce: 3 }, (hashes) => {
    const part: string[] = [];
    for (let at = 0; at < hashes.length; at += 16) part.push(hashes.toString('hex', at, at + 16));
    parts.push(part);
    return mayContinue();
  });
  return parts;
}

test.each([
  [0, 0],
  [0, 100],
  [1, 0],
  [9, 10],
  [25, 25],
  [200, 200],
  [200, 7],
  [200, 5_000],
])(
  'of %i URLs that a crawl has met, each is read once and in order, and none of another crawl, when %i are expected',
  async (count, expected) => {
    const [job, other] = [await queue.claimedOne(), await queue.claimedOne()];
    const hashes = Array.from({ length: count }, (_, n) => urlHash(`http://a.test/${n}`));
    await queue.pool.query(met, [job.id, hashes]);
    await queue.pool.query(met, [other.id, [urlHash('http://b.test/'), ...hashes.slice(0, 3)]]);
    const parts = await visited(job.id, expected);
    expect(parts.flat()).toEqual(hashes.map((hash) => hash.replaceAll('-', '')).sort());
  },
);

test('hashes at the very ends are read too', async () => {
  const job = await queue.claimedOne();
  const ends = ['00000000000000000000000000000001', 'ffffffffffffffffffffffffffffffff'];
  await queue.pool.query(met, [job.id, ends]);
  expect((await visited(job.id, 50)).flat()).toEqual(ends);
});

test('nothing more is handed on, or asked for, when nobody wants more', async () => {
  const job = await queue.claimedOne();
  await queue.pool.query(met, [job.id, Array.from({ length: 200 }, (_, n) => urlHash(`http://a.test/${n}`))]);
  expect(await visited(job.id, 200, () => false)).toHaveLength(1);
});
