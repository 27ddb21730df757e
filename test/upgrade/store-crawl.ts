import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { Pool } from 'pg';
import { migrationsFolder } from '../../packages/server/src/base/database/migration-state.ts';

/*
 * Rows as version 0.2.0 wrote them, in a database of its migrations. Nothing here calls the product for what it stores: a rule
 * that changes today must not change what was stored then.
 */

const lastMigration = 21;

/** A folder of the migrations of version 0.2.0 alone. */
export function migrationsOf02(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-migrations-'));
  for (const name of readdirSync(migrationsFolder()))
    if (Number.parseInt(name, 10) <= lastMigration)
      cpSync(join(migrationsFolder(), name), join(folder, name));
  return folder;
}

/** What came of a URL. `path` is the form in which 0.2.0 stored it. */
export interface StoredPage {
  readonly path: string;
  readonly depth?: number;
  /** Fetched, with this text. */
  readonly text?: string;
  readonly etag?: string;
  /** Stored paths of its links. */
  readonly links?: readonly string[];
  /** Redirected there. */
  readonly target?: string;
  /** Neither: not there. */
  readonly kind?: 'page' | 'sitemap' | 'text';
}

export interface StoredCrawl {
  readonly origin: string;
  readonly payload: { readonly url: string; readonly [option: string]: unknown };
  readonly pages: readonly StoredPage[];
  /** What is left, of a paused crawl; without it, the crawl is completed. */
  readonly pending?: readonly { readonly path: string; readonly depth: number }[];
  /** The path that 0.2.0 made of the start. */
  readonly start?: string;
  readonly dedupe_key?: string;
}

/** Looked for by every crawl with `discover`. */
export const discovered: readonly StoredPage[] = [
  { path: '/sitemap.xml', kind: 'sitemap', depth: 0 },
  { path: '/llms.txt', kind: 'text', depth: 0 },
  { path: '/llms-full.txt', kind: 'text', depth: 0 },
];

/** The name of a crawl with default options. */
export function keyOf(start: string): string {
  const options = [
    'auto',
    50,
    null,
    null,
    'host',
    null,
    [],
    [],
    true,
    false,
    false,
    false,
    true,
    false,
    10_485_760,
  ];
  const name = JSON.stringify([start, [], ...options]);
  return `crawl:${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

function sha(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Each line without what it shares with the one before; the first byte tells this form from deflated ones. */
function folded(lines: readonly string[]): Buffer {
  let before = '';
  const parts = lines.map((line) => {
    let shared = 0;
    while (shared < 255 && shared < line.length && line[shared] === before[shared]) shared++;
    before = line;
    return Buffer.concat([Buffer.from([shared]), Buffer.from(`${line.slice(shared)}\n`)]);
  });
  return Buffer.concat([Buffer.from([7]), ...parts]);
}

const jobText = `
INSERT INTO crawl_jobs (kind, status, payload, fence, event_count, progress_percentage, lease_seconds, worker_id, dedupe_key,
  created_at, started_at, last_heartbeat, completed_at)
SELECT 'crawl', status, $2, 1, CASE WHEN is_done THEN 3 ELSE 4 END, CASE WHEN is_done THEN 100 ELSE 50 END, 120,
  CASE WHEN is_done THEN 'then-1-0a1b2c3d' END, $3, now() - interval '1 day', now() - interval '1 day',
  now() - interval '23 hours', CASE WHEN is_done THEN now() - interval '23 hours' END
FROM (SELECT $1::job_status AS status, $1::job_status = 'completed' AS is_done) given
RETURNING id`;

const eventText = `
INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason, at)
SELECT $1, event_no, transition::job_transition, from_status::job_status, to_status::job_status, fence, actor, reason,
  now() - interval '1 day'
FROM jsonb_to_recordset($2) AS event (event_no int, transition text, from_status text, to_status text, fence int, actor text, reason text)`;

const stateText = `
INSERT INTO crawl_states (job_id, crawl_key, checkpoint_no, next_seq, next_page_no, current_depth, current_url, total_pending,
  total_processed, fetched, failed, skipped, redirected, bytes, started_at, updated_at)
VALUES ($1, $2, 4, $3, $4, 2, $5, $6, $7::int + $8::int, $7, $8, $9, $10, 4711, now() - interval '1 day', now() - interval '23 hours')`;

const pageText = `
INSERT INTO crawl_pages (job_id, url_hash, page_no, outcome, kind, status, depth, attempts, word_count, bytes, fetched_at, parent,
  content_hash, url, reason, message, target_url, content_type, etag, title, structured)
VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, now() - interval '23 hours', $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`;

/** Stores the crawl, and answers with the id of its job. */
export async function storeCrawl(pool: Pool, crawl: StoredCrawl): Promise<string> {
  const { origin, payload, pages, pending, start = '/', dedupe_key } = crawl;
  const status = pending ? 'paused' : 'completed';
  const { rows } = await pool.query<{ id: string }>(jobText, [status, payload, dedupe_key]);
  const id = rows[0]?.id ?? '';
  const ends = pending
    ? [
        {
          event_no: 3,
          transition: 'pause',
          from_status: 'processing',
          to_status: 'processing',
          fence: 1,
          actor: 'user:local',
        },
        {
          ...{ event_no: 4, transition: 'pause', from_status: 'processing', to_status: 'paused', fence: 1 },
          ...{ actor: 'supervisor:then-1-0a1b2c3d', reason: 'paused at a checkpoint' },
        },
      ]
    : [
        {
          ...{
            event_no: 3,
            transition: 'complete',
            from_status: 'processing',
            to_status: 'completed',
            fence: 1,
          },
          actor: 'supervisor:then-1-0a1b2c3d',
        },
      ];
  const events = [
    { event_no: 1, transition: 'enqueue', to_status: 'pending', fence: 0, actor: 'user:local' },
    {
      ...{ event_no: 2, transition: 'claim', from_status: 'pending', to_status: 'processing', fence: 1 },
      actor: 'supervisor:then-1-0a1b2c3d',
    },
    ...ends,
  ];
  await pool.query(eventText, [id, JSON.stringify(events)]);
  const { host } = new URL(origin);
  const root = sha(origin + start);
  for (const [n, page] of pages.entries()) await storePage(pool, id, origin, root, n + 1, page);
  for (const [n, { path, depth }] of (pending ?? []).entries())
    await pool.query(
      `INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, parent) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [id, host, pages.length + n + 1, sha(origin + path), origin + path, depth, root],
    );
  const known = [...pages, ...(pending ?? [])].map(({ path }) => sha(origin + path));
  await pool.query('INSERT INTO crawl_visited (job_id, url_hash) SELECT $1, unnest($2::uuid[])', [id, known]);
  const count = (is: (page: StoredPage) => boolean) => pages.filter(is).length;
  const fetched = count(({ text }) => text !== undefined);
  const redirected = count(({ target }) => target !== undefined);
  const skipped = count(({ kind }) => kind !== undefined);
  const failed = pages.length - fetched - redirected - skipped;
  const left = pending?.length ?? 0;
  await pool.query(
    `INSERT INTO crawl_hosts (job_id, host, pending, done, low_seq) VALUES ($1, $2, $3, $4, $5)`,
    [id, host, left, fetched + failed, left > 0 ? pages.length + 1 : pages.length],
  );
  const all = pages.length + left;
  const counters = [left, fetched, failed, skipped, redirected];
  await pool.query(stateText, [
    id,
    keyOf(origin + start),
    all + 1,
    pages.length + 1,
    origin + start,
    ...counters,
  ]);
  return id;
}

async function storePage(
  pool: Pool,
  id: string,
  origin: string,
  root: string,
  pageNo: number,
  { path, depth = 1, text, etag, links = [], target, kind }: StoredPage,
): Promise<void> {
  const url = origin + path;
  const isFetched = text !== undefined;
  const missing = kind
    ? ['skipped', 'absent', null]
    : ['failed', 'http_404', 'The site refused the page (4xx): HTTP 404'];
  const [outcome, reason, message] = isFetched
    ? ['fetched', null, null]
    : target !== undefined
      ? ['redirected', null, null]
      : missing;
  const status = isFetched ? 200 : target !== undefined ? 301 : 404;
  const fields = isFetched
    ? {
        words: text.split(' ').length,
        bytes: 200,
        hash: sha(text),
        type: 'text/html; charset=utf-8',
        title: path,
      }
    : {};
  const structured = isFetched ? { headings: [{ text: path, level: 1 }] } : null;
  await pool.query(pageText, [
    ...[id, sha(url), pageNo, outcome, kind ?? 'page', status, depth, fields.words, fields.bytes],
    ...[depth === 0 ? null : root, fields.hash, url, reason, message],
    ...[target === undefined ? null : origin + target, fields.type, etag, fields.title, structured],
  ]);
  if (!isFetched) return;
  const stored = links.length > 0 ? folded(links.map((link) => origin + link)) : null;
  await pool.query(
    'INSERT INTO crawl_page_contents (job_id, url_hash, links, markdown) VALUES ($1, $2, $3, $4)',
    [id, sha(url), stored, deflateRawSync(`# ${path}\n\n${text}\n`)],
  );
}
