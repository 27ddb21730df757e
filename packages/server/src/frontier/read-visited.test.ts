import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../test/queue-fixture/queue-fixture.ts';
import { urlHash } from '../urls/url-hash.ts';
import { readVisited } from './read-visited.ts';

const queue = new QueueFixture();

test.each([0, 1, 9, 10, 25])(
  'of %i URLs that a crawl has met, each is read once, and none of another crawl',
  async (count) => {
    const [job, other] = [await queue.claimedOne(), await queue.claimedOne()];
    const hashes = Array.from({ length: count }, (_, n) => urlHash(`http://a.test/${n}`));
    const met = 'INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, unnest($2::uuid[])';
    await queue.pool.query(met, [job.id, hashes]);
    await queue.pool.query(met, [other.id, [urlHash('http://b.test/'), ...hashes.slice(0, 3)]]);
    const read: string[] = [];
    await readVisited(queue.pool, job.id, 5, (part) => {
      expect(part.length).toBeLessThanOrEqual(5 * 16);
      for (let at = 0; at < part.length; at += 16) read.push(part.toString('hex', at, at + 16));
      return true;
    });
    expect(read).toEqual(hashes.map((hash) => hash.replaceAll('-', '')).sort());
  },
);
