import { deflateRawSync } from 'node:zlib';
import type pg from 'pg';
import { solidPng } from './solid-png.ts';

export const words =
  'anchor beacon chart compass current fog harbour hull keel lantern mast pilot quay'.split(' ');

/** Two crawls of one site, of which a page changed between them, and one that runs. */
export async function fillPages(
  db: pg.Pool,
  { before, crawl, running }: Record<string, string>,
): Promise<void> {
  await db.query(
    `INSERT INTO crawl_states (job_id, total_processed, total_pending, fetched, failed, skipped, redirected, bytes, current_url, current_depth, baseline, changed, unchanged, started_at)
     VALUES ($1, 30, 0, 28, 2, 3, 1, 812000, NULL, 3, NULL, 0, 0, now() - interval '25 h'), ($2, 30, 0, 28, 2, 3, 1, 834000, NULL, 3, $1, 1, 27, now() - interval '50 min'),
       ($3, 412, 703, 401, 11, 25, 8, 9120000, 'https://books.example/catalogue/page-21', 4, NULL, 0, 0, now() - interval '6 min')`,
    [before, crawl, running],
  );
  await db.query(
    `INSERT INTO crawl_hosts (job_id, host, pending, done) VALUES ($1, 'books.example', 640, 400), ($1, 'covers.books.example', 63, 44)`,
    [running],
  );
  for (const [job, version] of [
    [before, 1],
    [crawl, 2],
  ] as const) {
    for (let n = 1; n <= 34; n++) {
      const outcome = n <= 28 ? 'fetched' : n <= 30 ? 'failed' : n <= 33 ? 'skipped' : 'redirected';
      const { rows } = await db.query<{ url_hash: string }>(
        `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, word_count, bytes, fetched_at, url,
           reason, message, target_url, content_type, language, title, description, structured, change)
         VALUES ($1, md5($2::integer::text)::uuid, $2::integer, $3, $4, $5, 1, $6, $7, now() - make_interval(mins => 52 - $2::integer), $8, $9, $10, $11, 'text/html', 'en', $12, $13, $14, $15)
         RETURNING url_hash`,
        [
          job,
          n,
          outcome,
          outcome === 'fetched' ? 200 : outcome === 'failed' ? 404 : outcome === 'redirected' ? 301 : null,
          n % 4,
          outcome === 'fetched' ? 300 + n * 7 : null,
          24_000 + n,
          `https://docs.example/guide/${words[n % words.length]}/${n}`,
          outcome === 'failed' ? 'http_404' : outcome === 'skipped' ? 'robots_disallowed' : null,
          outcome === 'failed' ? 'The site answered 404' : null,
          outcome === 'redirected' ? 'https://docs.example/guide/new' : null,
          outcome === 'fetched' ? `The ${words[n % words.length]}, chapter ${n}` : null,
          'How it holds',
          outcome === 'fetched'
            ? JSON.stringify({ og: { title: 'Guide' }, visibleWords: 500 + n * 9 })
            : null,
          version === 2 && outcome === 'fetched' ? (n === 1 ? 'changed' : 'unchanged') : null,
        ],
      );
      if (outcome !== 'fetched') continue;
      await db.query(
        'INSERT INTO crawl_page_contents (job_id, url_hash, links, markdown) VALUES ($1, $2, $3, $4)',
        [
          job,
          rows[0]?.url_hash,
          deflateRawSync('https://docs.example/\nhttps://docs.example/guide/keel/3'),
          deflateRawSync(markdownOf(n, version)),
        ],
      );
    }
  }
  await db.query(
    `UPDATE crawl_pages SET rendered = page_no = 2, render_reason = CASE page_no WHEN 2 THEN 'empty' ELSE 'no_browser' END
     WHERE job_id = $1 AND page_no IN (2, 3)`,
    [crawl],
  );
  await db.query(
    `INSERT INTO crawl_screenshots (job_id, url_hash, picture)
     SELECT job_id, url_hash, $2 FROM crawl_pages WHERE job_id = $1 AND page_no = 2`,
    [crawl, solidPng(1280, 720, [214, 226, 240])],
  );
}

function markdownOf(n: number, version: number): string {
  return `# The ${words[n % words.length]}, chapter ${n}

A good ${words[(n + 1) % words.length]} holds in every weather. See [the first chapter](https://docs.example/guide/keel/1).

## What you need

- a rope of ${version * 10} metres
- a lantern

\`\`\`sh
holdfast crawl https://docs.example/
\`\`\`

> Whoever reads this will tie better knots.`;
}
