import { expect, test, vi } from 'vitest';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const links = Array.from({ length: 200 }, (_, n) => `/item/${n}`);
let lock: () => void = () => {};
const isLocked = new Promise<void>((resolve) => {
  lock = resolve;
});
let isBroken = true;
const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    const isItem = path.startsWith('/item/');
    if (!isItem && path !== '/list') return false;
    void (isItem ? isLocked : Promise.resolve()).then(() => {
      // Every other one, so that the site does not count as down.
      if (isItem && isBroken && Number(path.slice(6)) % 2 === 0) return response.writeHead(500).end();
      const items = isItem ? '' : links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
      return response.setHeader('content-type', 'text/html').end(`<main><p>Text.</p>${items}</main>`);
    });
    return true;
  },
});

test('while nothing can be saved, a crawl asks for no more than a death may cost: its concurrency and a batch', async () => {
  const { id } = await fixture.crawl('/list', { concurrency: 8, discover: false });
  await vi.waitUntil(() => fixture.site.counts.size >= 9, { timeout: 25_000 });
  const client = await fixture.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM crawl_states WHERE job_id = $1 FOR UPDATE', [id]);
    lock();
    await comesToRest();
    const asked = fixture.site.requests.filter(({ path }) => path.startsWith('/item/')).length;
    expect(asked).toBeGreaterThanOrEqual(50);
    expect(asked).toBeLessThanOrEqual(58);
    isBroken = false;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await fixture.reaches(id, 'completed');
  expect(Object.values(await fixture.outcomes(id))).toEqual(Array(201).fill('fetched'));
  await checkInvariants(fixture.pool, id);
});

async function comesToRest(): Promise<void> {
  let before = 0;
  await vi.waitUntil(
    () => {
      const now = fixture.site.requests.length;
      const rests = now === before && now > 10;
      before = now;
      return rests;
    },
    { interval: 1_500, timeout: 20_000 },
  );
}
