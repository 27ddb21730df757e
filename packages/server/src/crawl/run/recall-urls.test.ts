import { pino } from 'pino';
import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { urlHash } from '../../web/urls/url-hash.ts';
import { KnownUrls } from './known-urls.ts';
import { recallUrls } from './recall-urls.ts';

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
