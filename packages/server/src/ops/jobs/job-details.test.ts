import { expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { readJobDetails } from './job-details.ts';

const queue = new QueueFixture();

test('only pages of a finished crawl can be tried again, not what discovery read or looked for', async () => {
  const job = await queue.enqueueOne();
  await queue.pool.query(`INSERT INTO crawl_states (job_id, fetched, skipped) VALUES ($1, 3, 2)`, [job.id]);
  await queue.pool.query(
    `INSERT INTO crawl_pages (job_id, page_no, url_hash, url, kind, depth, attempts, outcome, reason, fetched_at)
     SELECT $1, no, gen_random_uuid(), 'https://example.com/' || no, 'sitemap', 0, 1, 'skipped', reason, now()
     FROM unnest(ARRAY['absent', 'sitemap']) WITH ORDINALITY AS row (reason, no)`,
    [job.id],
  );
  const ended = { ...job, status: 'completed' as const };
  const canRetry = async () => (await readJobDetails(queue.pool, ended)).actions.includes('retryUrls');
  expect(await canRetry()).toBe(false);
  await queue.pool.query(`UPDATE crawl_states SET skipped = 3 WHERE job_id = $1`, [job.id]);
  expect(await canRetry()).toBe(true);
  await queue.pool.query(`UPDATE crawl_states SET skipped = 2, failed = 1 WHERE job_id = $1`, [job.id]);
  expect(await canRetry()).toBe(true);
});
