import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../packages/contract/src/index.ts';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { configureSource } from '../../packages/server/src/governor/sources/configure-source.ts';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from './bench-server.ts';
import { postmasterOf } from './crawlers/holdfast.ts';
import { HoldfastWorker } from './crawlers/holdfast-worker.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { quietLog } from './quiet-log.ts';
import { startSite } from './site/start-site.ts';
import { round, spread } from './statistics.ts';

/** Crawls at once, each with a worker of its own and on a host of its own. */
const crawls = [1, 2, 4, 8];
const pagesPerCrawl = 2_000;
const concurrency = 16;
const repeats = 3;
const settleMs = 1_500;
const address = (crawl: number) => `127.0.0.${10 + crawl}`;

/** What one lap cost, all crawls together. */
interface Lap {
  readonly pagesPerSecond: number;
  readonly workerMicros: number;
  readonly postgresMicros: number;
  readonly walBytes: number;
  readonly walSyncs: number;
  readonly rows: number;
  readonly connections: number;
}

/**
 * What a page costs each part as crawls are added, from which docs/scaling.md reckons what more cores and disks give. No bar:
 * on one machine the crawls, the site and PostgreSQL share its cores.
 */
export async function measure(server: BenchServer): Promise<Outcome> {
  const most = Math.max(...crawls);
  const hosts = Array.from({ length: most }, (_, crawl) => ({ address: address(crawl), delayMs: 0 }));
  const site = await startSite({ kind: 'ready', pages: pagesPerCrawl, hosts });
  try {
    const laps = new Map<number, Lap[]>(crawls.map((count) => [count, []]));
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const count of crawls) {
        const lap = await server.withDatabase('bench_scaling', (url) => crawlTogether(url, site.port, count));
        laps.get(count)?.push(lap);
        console.log(
          `  repeat ${repeat + 1}: ${count} at once: ${thousands(lap.pagesPerSecond)} pages/s in all`,
        );
      }
    }
    return report(laps);
  } finally {
    await site.stop();
  }
}

async function crawlTogether(databaseUrl: string, port: number, count: number): Promise<Lap> {
  const origins = Array.from({ length: count }, (_, crawl) => `http://${address(crawl)}:${port}`);
  const database = await openDatabase({ databaseUrl, dataFolder: '', databasePort: 0 }, quietLog, {
    name: 'bench',
  });
  const workers = await Promise.all(
    origins.map(() => HoldfastWorker.start(databaseUrl, origins, { jobs: 1 })),
  );
  try {
    await configureSource(database.pool, 'bench', {
      hosts: origins.map((origin) => new URL(origin).host),
      concurrency: concurrency * count,
    });
    await delay(settleMs);
    return await lapOf(database, workers, origins);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await database.close();
  }
}

async function lapOf(
  database: Database,
  workers: readonly HoldfastWorker[],
  origins: readonly string[],
): Promise<Lap> {
  const { pool } = database;
  const postmaster = await postmasterOf(database);
  const costs = async () => ({
    workers: workers.reduce((sum, { pid }) => sum + treeCpuSeconds(pid), 0),
    postgres: treeCpuSeconds(postmaster),
    ...(await writesOf(database)),
  });
  const before = await costs();
  const requests = origins.map(
    (origin) =>
      ({ kind: 'crawl', payload: { url: `${origin}/`, concurrency, markdown: false } }) as JobRequest,
  );
  await enqueueJobs(pool, requests);
  await new Notifier(pool).notify('work');
  let connections = 0;
  for (;;) {
    const { rows } = await pool.query<{ left: number; failed: number; ms: number; connections: number }>(
      `SELECT count(*) FILTER (WHERE completed_at IS NULL) AS left, count(*) FILTER (WHERE status = 'failed') AS failed,
         1000 * extract(epoch FROM max(completed_at) - min(created_at))::float8 AS ms,
         (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections
       FROM crawl_jobs`,
    );
    const { left = 1, failed = 0, ms = 0, connections: now = 0 } = rows[0] ?? {};
    connections = Math.max(connections, Number(now) - 1);
    if (Number(failed) > 0) throw new Error('a crawl failed');
    if (Number(left) === 0) {
      const after = await costs();
      const pages = await storedPages(database, origins.length * pagesPerCrawl);
      const each = (seconds: number) => (seconds / pages) * 1e6;
      return {
        pagesPerSecond: (pages / ms) * 1000,
        workerMicros: each(after.workers - before.workers),
        postgresMicros: each(after.postgres - before.postgres),
        walBytes: (after.walBytes - before.walBytes) / pages,
        walSyncs: (after.walSyncs - before.walSyncs) / pages,
        rows: (after.rows - before.rows) / pages,
        connections,
      };
    }
    await delay(100);
  }
}

async function storedPages({ pool }: Database, expected: number): Promise<number> {
  const { rows } = await pool.query<{ pages: number }>(
    `SELECT count(DISTINCT url)::int AS pages FROM crawl_pages WHERE outcome = 'fetched'`,
  );
  const pages = rows[0]?.pages ?? 0;
  if (pages !== expected) throw new Error(`${pages} of ${expected} pages are stored`);
  return pages;
}

async function writesOf({ pool }: Database) {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ bytes: number; syncs: number; rows: number }>(
    `SELECT wal_bytes::float8 AS bytes, wal_sync::float8 AS syncs,
       (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS rows FROM pg_stat_wal`,
  );
  const { bytes = 0, syncs = 0, rows: written = 0 } = rows[0] ?? {};
  return { walBytes: bytes, walSyncs: syncs, rows: written };
}

function report(laps: ReadonlyMap<number, readonly Lap[]>): Outcome {
  const figures = crawls.map((count) => {
    const own = laps.get(count) ?? [];
    const median = (name: keyof Lap, digits = 0) => round(spread(own.map((lap) => lap[name])).median, digits);
    return {
      crawls: count,
      pages_per_second: spread(
        own.map((lap) => lap.pagesPerSecond),
        0,
      ),
      worker_cpu_micros_per_page: median('workerMicros'),
      postgres_cpu_micros_per_page: median('postgresMicros'),
      wal_bytes_per_page: median('walBytes'),
      wal_syncs_per_page: median('walSyncs', 3),
      rows_written_per_page: median('rows', 2),
      connections: median('connections'),
    };
  });
  const table = printTable(
    ['crawls', 'pages/s', 'spread', 'worker µs', 'PostgreSQL µs', 'WAL B', 'syncs', 'rows', 'connections'],
    figures.map((one) => [
      String(one.crawls),
      thousands(one.pages_per_second.median),
      `${thousands(one.pages_per_second.min)}–${thousands(one.pages_per_second.max)}`,
      thousands(one.worker_cpu_micros_per_page),
      thousands(one.postgres_cpu_micros_per_page),
      thousands(one.wal_bytes_per_page),
      String(one.wal_syncs_per_page),
      String(one.rows_written_per_page),
      String(one.connections),
    ]),
  );
  return { table, pass: true, figures: { pages_per_crawl: pagesPerCrawl, per_page: figures } };
}
