import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../../packages/contract/src/index.ts';
import { type Database, openDatabase } from '../../../packages/server/src/base/database/open-database.ts';
import { configureSource } from '../../../packages/server/src/governor/sources/configure-source.ts';
import { actOnJob } from '../../../packages/server/src/ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from '../bench-server.ts';
import { quietLog } from '../quiet-log.ts';
import { type Site, startSite } from '../site/start-site.ts';
import { fillKnown } from './fill-known.ts';

const concurrency = 32;
const lookMs = 20;

/** A crawl that knows many URLs already, paused, with a database and a growing site of its own. */
export interface KnownCrawl {
  readonly known: number;
  readonly jobId: string;
  readonly origin: string;
  readonly database: Database;
}

/** Makes a crawl for each number of known URLs, hands them over, and removes them. */
export async function withKnownCrawls<Result>(
  server: BenchServer,
  sizes: readonly number[],
  use: (crawls: readonly KnownCrawl[]) => Promise<Result>,
  made: readonly KnownCrawl[] = [],
): Promise<Result> {
  const known = sizes[made.length];
  if (known === undefined) return await use(made);
  return await server.withDatabase(`bench_known_${known}`, async (url) => {
    const site = await startSite({
      kind: 'growing',
      pages: known,
      hosts: [{ address: '127.0.0.1', delayMs: 0 }],
    });
    const database = await openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog, {
      name: 'bench',
    });
    try {
      const crawl = await makeCrawl(database, site, known);
      return await withKnownCrawls(server, sizes, use, [...made, crawl]);
    } finally {
      await database.close();
      await site.stop();
    }
  });
}

async function makeCrawl(database: Database, site: Site, known: number): Promise<KnownCrawl> {
  const { pool } = database;
  const origin = `http://127.0.0.1:${site.port}`;
  const started = performance.now();
  await configureSource(pool, 'bench', { hosts: [new URL(origin).host], concurrency });
  const payload = { url: `${origin}/`, concurrency, markdown: false, max_depth: 1000 };
  const { job } = await enqueueJob(pool, { kind: 'crawl', payload } as JobRequest);
  await actOnJob(pool, 'pause', job.id);
  await fillKnown(pool, job.id, origin, known);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`  made a crawl with ${known.toLocaleString('en-US')} known URLs in ${seconds} s`);
  return { known, jobId: job.id, origin, database };
}

export async function resumeCrawl({ database, jobId }: KnownCrawl): Promise<void> {
  await actOnJob(database.pool, 'resume', jobId);
  await new Notifier(database.pool).notify('work');
}

/** Resolves when it is paused, at a checkpoint. */
export async function pauseCrawl({ database, jobId }: KnownCrawl): Promise<void> {
  await actOnJob(database.pool, 'pause', jobId);
  await new Notifier(database.pool).notify('request');
  while ((await showJob(database.pool, jobId)).status !== 'paused') await delay(lookMs);
}

/** Resolves with the time of the checkpoint, by the database's clock, at which so many pages had been fetched. */
export async function untilFetched(
  { database, jobId }: KnownCrawl,
  pages: number,
): Promise<{ readonly pages: number; readonly atMs: number }> {
  for (;;) {
    const { rows } = await database.pool.query<{ fetched: number; at: Date }>(
      'SELECT fetched, updated_at AS at FROM crawl_states WHERE job_id = $1',
      [jobId],
    );
    const [state] = rows;
    if (state && state.fetched >= pages) return { pages: state.fetched, atMs: state.at.getTime() };
    await delay(lookMs);
  }
}

export async function fetchedSoFar({ database, jobId }: KnownCrawl): Promise<number> {
  const { rows } = await database.pool.query('SELECT fetched FROM crawl_states WHERE job_id = $1', [jobId]);
  return rows[0].fetched;
}

/** Throws unless its counters equal a recount of its rows: what was measured was stored. */
export async function checkCounts({ database, jobId }: KnownCrawl): Promise<void> {
  const { rows } = await database.pool.query(
    `SELECT fetched, total_pending,
       (SELECT count(*) FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched') AS pages,
       (SELECT count(*) FROM crawl_page_contents WHERE job_id = $1) AS contents,
       (SELECT count(*) FROM crawl_frontier WHERE job_id = $1) AS frontier
     FROM crawl_states WHERE job_id = $1`,
    [jobId],
  );
  const { fetched, total_pending: pending, pages, contents, frontier } = rows[0];
  if (fetched !== pages || pages !== contents || pending !== frontier)
    throw new Error(`the counters are not what is stored: ${JSON.stringify(rows[0])}`);
}
