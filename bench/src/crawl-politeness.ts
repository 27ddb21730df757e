import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../packages/contract/src/index.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { pauseSource } from '../../packages/server/src/governor/sources/change-source.ts';
import { configureSource } from '../../packages/server/src/governor/sources/configure-source.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from './bench-server.ts';
import type { Figure, WithLaps } from './compare/laps.ts';
import { HoldfastWorker } from './crawlers/holdfast-worker.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { type Site, startSite } from './site/start-site.ts';
import { spread } from './statistics.ts';

const hosts = 50;
const pagesPerHost = 100;
const repeats = 9;
const concurrency = 32;
/** As a quick site answers that is not on the same machine: only then do places among the requests under way count. */
const quickMs = 20;
const slowMs = 5_000;
const floor = 0.9;
const goal = 0.97;

const address = (host: number) => `127.0.0.${10 + host}`;
/** without  the quick hosts alone; slow  with one that answers after five seconds; paused  with one that an operator paused */
const ways = ['without', 'slow', 'paused'] as const;
type Way = (typeof ways)[number];

/** B10: how fast fifty quick hosts are crawled while one more in the same job is slow, or paused. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const site = await startHosts();
  try {
    const rates = new Map<Way, number[]>(ways.map((way) => [way, []]));
    for (let repeat = 0; repeat < repeats; repeat++) {
      const turn = repeat % ways.length;
      for (const way of [...ways.slice(turn), ...ways.slice(0, turn)]) {
        const rate = await server.withDatabase('bench_polite', (url) => crawlHosts(url, site.port, way));
        rates.get(way)?.push(rate);
        console.log(`  repeat ${repeat + 1}: ${way}: ${thousands(rate)} pages/s of the quick hosts`);
      }
    }
    return report(rates);
  } finally {
    await site.stop();
  }
}

export const withLaps: WithLaps = async (server, use) => {
  const site = await startHosts();
  try {
    await use(async () => {
      const figures: Figure[] = [];
      for (const way of ways) {
        const rate = await server.withDatabase('bench_polite', (url) => crawlHosts(url, site.port, way));
        figures.push({ name: `pages/s, ${way}`, value: rate, better: 'more' });
      }
      return figures;
    });
  } finally {
    await site.stop();
  }
};

function startHosts(): Promise<Site> {
  const quick = Array.from({ length: hosts }, (_, host) => ({ address: address(host), delayMs: quickMs }));
  const slow = { address: address(hosts), delayMs: slowMs };
  return startSite({ kind: 'ready', pages: pagesPerHost, hosts: [...quick, slow] });
}

/** Pages a second of the quick hosts, from the start of the run to the last of them. */
async function crawlHosts(databaseUrl: string, port: number, way: Way): Promise<number> {
  const all = Array.from({ length: hosts + 1 }, (_, host) => `http://${address(host)}:${port}`);
  const origins = way === 'without' ? all.slice(0, hosts) : all;
  const slow = `${address(hosts)}:${port}`;
  const database = await openDatabase({ databaseUrl, dataFolder: '', databasePort: 0 }, quietLog, {
    name: 'bench',
  });
  const worker = await HoldfastWorker.start(databaseUrl, origins);
  const { pool } = database;
  try {
    if (way === 'paused') {
      await configureSource(pool, 'slow', { hosts: [slow] });
      await pauseSource(pool, 'slow');
    }
    const urls = origins.map((origin) => `${origin}/`);
    const payload = {
      url: urls[0],
      urls: urls.slice(1),
      strategy: 'recursive',
      scope: 'any',
      discover: false,
      concurrency,
      markdown: false,
    };
    const { job } = await enqueueJob(pool, { kind: 'crawl', payload } as JobRequest);
    await new Notifier(pool).notify('work');
    for (;;) {
      const { rows } = await pool.query<{ pages: number; ms: number }>(
        `SELECT count(*) AS pages, 1000 * extract(epoch FROM max(fetched_at) - started_at)::float8 AS ms
         FROM crawl_jobs JOIN crawl_pages ON job_id = id
         WHERE id = $1 AND outcome = 'fetched' AND url NOT LIKE $2 GROUP BY started_at`,
        [job.id, `http://${slow}/%`],
      );
      const { pages = 0, ms = 0 } = rows[0] ?? {};
      if (pages === hosts * pagesPerHost) {
        if (way !== 'without') await actOnJob(pool, 'cancel', job.id);
        return (pages / ms) * 1000;
      }
      await delay(100);
    }
  } finally {
    await worker.stop();
    await database.close();
  }
}

function report(rates: ReadonlyMap<Way, readonly number[]>): Outcome {
  const without = rates.get('without') ?? [];
  const figures = ways.map((way) => {
    const own = rates.get(way) ?? [];
    const times = own.map((rate, repeat) => rate / (without[repeat] ?? Number.NaN));
    return { way, pages_per_second: spread(own, 0), times: spread(times) };
  });
  const table = printTable(
    ['the 51st host', 'pages/s of other hosts', 'spread', 'ratio', 'spread'],
    figures.map(({ way, pages_per_second: rate, times }) => [
      way === 'without' ? 'none' : way,
      thousands(rate.median),
      `${thousands(rate.min)}–${thousands(rate.max)}`,
      `${times.median} ×`,
      `${times.min}–${times.max}`,
    ]),
  );
  const worst = Math.min(...figures.map(({ times }) => times.median));
  return {
    table,
    pass: worst >= floor,
    figures: {
      hosts,
      pages: hosts * pagesPerHost,
      ways: figures,
      worst_times: worst,
      floor,
      goal,
      goal_reached: worst >= goal,
    },
  };
}
