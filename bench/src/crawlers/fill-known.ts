import type { Pool, QueryConfig } from 'pg';

/** A page's path, as the page maker has it; `number` is in scope. */
const path = `CASE number WHEN 0 THEN '/' ELSE format('/section-%s/article-%s.html', number % 40, number) END`;
const hashOf = (url: string) => `encode(substring(sha256(convert_to(${url}, 'UTF8')) FOR 16), 'hex')::uuid`;

const knownTable = `
CREATE TEMP TABLE known AS
SELECT number, url, ${hashOf('url')} AS url_hash
FROM (SELECT number, $1 || ${path} AS url FROM generate_series(0, $2::integer - 1) AS number) page`;

/** In the order of their keys, as an index is filled best; a crawl brings them in no order. */
const visited = `INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, url_hash FROM known ORDER BY url_hash`;

const frontier = `
INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, parent)
SELECT $1, $3, number + 1, url_hash, url, 5, md5(number::text)::uuid FROM known WHERE number >= $2 ORDER BY number`;

const pages = `
INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, status, depth, attempts, bytes, fetched_at, parent,
  content_hash, url, canonical_url, content_type, language, etag, last_modified, title, description, structured)
SELECT $1, url_hash, number + 1, 'fetched', 200, 5, 1, 15000, now(), md5(number::text)::uuid,
  md5(url)::uuid, url, url, 'text/html; charset=utf-8', 'en', '"6918a100-3a98"', 'Sun, 15 Nov 2026 00:00:00 GMT',
  'Harbour lantern meadow (' || number || ')', 'Signal copper winter, as told by article ' || number || '.',
  '{"headings": [{"text": "Harbour lantern meadow", "level": 1}], "openGraph": [["og:type", "article"]]}'
FROM known WHERE number < $2`;

/** Of the contents the links alone: the markdown would fill the disk, and only the rows matter to what comes next. */
const contents = `
INSERT INTO crawl_page_contents (job_id, url_hash, links)
SELECT $1, url_hash, convert_to(repeat(md5(number::text), 10), 'UTF8') FROM known WHERE number < $2`;

const host = `
INSERT INTO crawl_hosts (job_id, host, pending, done, low_seq) VALUES ($1, $3, $4::integer - $2::integer, $2, $2 + 1)`;

const state = `
INSERT INTO crawl_states (job_id, checkpoint_no, total_processed, total_pending, current_depth, fetched, next_seq, next_page_no)
VALUES ($1, 1, $2, $3::integer - $2::integer, 5, $2, $3 + 1, $2 + 1)`;

/** Makes a paused crawl one that knows so many URLs: half of them fetched and stored, half of them left to do. */
export async function fillKnown(pool: Pool, jobId: string, origin: string, known: number): Promise<void> {
  const done = Math.floor(known / 2);
  const { host: hostName } = new URL(origin);
  const client = await pool.connect();
  const run = (text: string, values: unknown[] = []) =>
    client.query({ text, values, query_timeout: 2 ** 31 - 1 } as QueryConfig);
  try {
    await run(`SET statement_timeout = 0`);
    await run(knownTable, [origin, known]);
    await run(visited, [jobId]);
    await run(frontier, [jobId, done, hostName]);
    await run(pages, [jobId, done]);
    await run(contents, [jobId, done]);
    await run(host, [jobId, done, hostName, known]);
    await run(state, [jobId, done, known]);
    await run('DROP TABLE known');
    await run('VACUUM ANALYZE');
    await run('CHECKPOINT');
  } finally {
    client.release(true);
  }
}
