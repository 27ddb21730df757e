import type { Pool } from 'pg';

/** Stores so many fetched pages of a crawl, all with the same content. */
export async function fillExport(pool: Pool, jobId: string, pages: number, markdown: Buffer): Promise<void> {
  await pool.query('INSERT INTO crawl_states (job_id) VALUES ($1)', [jobId]);
  for (let from = 1; from <= pages; from += 50_000) {
    const to = Math.min(from + 49_999, pages);
    await pool.query(
      `INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, fetched_at, url, title)
       SELECT $1::uuid, md5(n::text)::uuid, n, 'fetched', 200, 1, 1, now(), 'https://example.com/section-' || n / 1000 || '/' || n, 'Page ' || n
       FROM generate_series($2::bigint, $3::bigint) n`,
      [jobId, from, to],
    );
    await pool.query(
      `INSERT INTO crawl_page_contents (job_id, url_hash, markdown)
       SELECT $1::uuid, md5(n::text)::uuid, $4::bytea FROM generate_series($2::bigint, $3::bigint) n`,
      [jobId, from, to, markdown],
    );
  }
}
