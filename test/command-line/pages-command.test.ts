import { describe, expect, test } from 'vitest';
import { QueueFixture } from '../queue-fixture/queue-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';

const queue = new QueueFixture();
const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: queue.url });

/** Every fifth page failed, every fourth of the others was skipped. */
async function crawlWithPages(count: number): Promise<string> {
  const { id } = await queue.enqueueOne();
  await queue.pool.query(
    `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, fetched_at, url, title, reason)
     SELECT $1, md5(n::text)::uuid, n, outcome, CASE outcome WHEN 'failed' THEN 503 WHEN 'fetched' THEN 200 END, 1, 1, now(),
       'https://example.com/page/' || n, E'Title\\x1b[31m of ' || n,
       CASE outcome WHEN 'failed' THEN 'site_error' WHEN 'skipped' THEN 'robots_disallowed' END
     FROM generate_series(1, $2::int) AS n CROSS JOIN LATERAL (
       SELECT CASE WHEN n % 5 = 0 THEN 'failed' WHEN n % 4 = 0 THEN 'skipped' ELSE 'fetched' END::page_outcome AS outcome
     ) made`,
    [id, count],
  );
  return id;
}
const numbers = ({ stdout }: { stdout: string }) =>
  (JSON.parse(stdout) as { page_no: number }[]).map(({ page_no }) => page_no);

describe('holdfast pages', () => {
  test('show by host how much of the visible text was kept, the smallest share first', async () => {
    const id = await crawlWithPages(20);
    const bare = await holdfast('pages', 'text', id);
    expect(bare).toMatchObject({ exit: 0, stdout: '' });
    await queue.pool.query(
      `UPDATE crawl_pages SET word_count = 90, structured = '{"visibleWords": 100}',
         url = 'https://' || CASE WHEN page_no < 4 THEN 'shop' ELSE 'docs' END || '.example:8443/' || page_no
       WHERE job_id = $1 AND outcome = 'fetched'`,
      [id],
    );
    await queue.pool.query(
      'UPDATE crawl_pages SET word_count = 1 WHERE job_id = $1 AND page_no IN (1, 2, 3)',
      [id],
    );
    const { stdout } = await holdfast('pages', 'text', id);
    expect(stdout).toMatch(/1 % +3 +300 +3 +shop\.example:8443\n *90 % +810 +900 +9 +docs\.example:8443/);
    expect(stdout).toContain('holdfast extract URL --explain');
    const kept = JSON.parse((await holdfast('pages', 'text', id, '--json')).stdout);
    expect(kept).toMatchObject({ hosts: 2, pages: 12, exact: true, data: [{ kept_percent: 1 }, {}] });
    await queue.pool.query('UPDATE crawl_pages SET structured = NULL WHERE job_id = $1', [id]);
    expect((await holdfast('pages', 'text', id)).stdout).toMatch(/100 % +810 +810/);
  });

  test('are listed page by page, and by what became of them', async () => {
    const id = await crawlWithPages(20);
    const first = await holdfast('pages', 'list', id, '--limit', '3');
    expect(first.stdout).toMatch(/^NO +OUTCOME +STATUS/);
    expect(first.stdout).toMatch(/ 3 +fetched +200 .* https:\/\/example\.com\/page\/3 +Title\\x1b\[31m of 3/);
    expect(first.stdout.trimEnd()).toMatch(/More: --after 3$/);
    const failed = ['pages', 'list', id, '--outcome', 'failed', '--limit', '2', '--json'];
    expect(numbers(await holdfast(...failed))).toEqual([5, 10]);
    expect(numbers(await holdfast(...failed, '--after', '10'))).toEqual([15, 20]);
    const none = await holdfast('pages', 'list', id, '--search', 'nowhere');
    expect(none).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: expect.stringContaining('No matching pages.'),
    });
  });

  test('tell what went wrong, by reason, and what to do about it', async () => {
    const id = await crawlWithPages(20);
    const { stdout } = await holdfast('pages', 'errors', id);
    expect(stdout).toMatch(/ 4 {2}failed: site_error\n +https:\/\/example\.com\/page\/5 {2}\(HTTP 503\)/);
    expect(stdout).toMatch(/ 4 {2}skipped: robots_disallowed\n/);
    expect(stdout).toContain(`holdfast pages list ${id} --reason CODE`);
    const { data } = JSON.parse((await holdfast('pages', 'errors', id, '--json')).stdout);
    expect(data[0]).toMatchObject({ outcome: 'failed', reason: 'site_error', count: 4 });
  });

  test('of a crawl that came to no page tell what ended it', async () => {
    const { id } = await queue.enqueueOne();
    await queue.pool.query(
      `UPDATE crawl_jobs SET status = 'failed', completed_at = now(), error_code = 'robots_unreachable',
         error_message = 'robots.txt cannot be had' WHERE id = $1`,
      [id],
    );
    expect(await holdfast('pages', 'errors', id)).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: `None (the crawl is failed).\nIts last run ended with: robots.txt cannot be had (npx holdfast jobs show ${id})\n`,
    });
  });

  test('of a job that is no crawl are refused', async () => {
    const { id } = await queue.enqueueOne({ kind: 'visit' });
    expect(await holdfast('pages', 'list', id)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(
        new RegExp(`is a visit and has no pages.*\\n.*npx holdfast results list --job ${id}`),
      ),
    });
  });
});
