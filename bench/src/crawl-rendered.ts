import { findBrowser } from '../../packages/server/src/browser/find-browser.ts';
import type { BenchServer } from './bench-server.ts';
import { crawlDurably } from './crawlers/holdfast.ts';
import { runPeer } from './crawlers/run-peer.ts';
import type { Outcome } from './main.ts';
import { printTable } from './print-table.ts';
import { startAppSite } from './site/start-app-site.ts';
import { spread } from './statistics.ts';

const pages = 300;
const repeats = 3;
/** Pages at once, in one browser. */
const concurrency = 4;
const floor = 1.2;
const goal = 2;

const contenders = ['holdfast', 'crawlee'] as const;
type Contender = (typeof contenders)[number];

/** B13: every page is rendered, and Holdfast extracts and stores them durably. It knows nothing of the site. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const found = await findBrowser({ configured: process.env.HOLDFAST_BROWSER });
  if (found.path === undefined) throw new Error(found.hint);
  const browser = found.path;
  Object.assign(process.env, { HOLDFAST_BROWSERS: '1', HOLDFAST_BROWSER_PAGES: String(concurrency) });
  const site = await startAppSite({ apps: pages, texts: 0 });
  const run: Record<Contender, () => Promise<number>> = {
    holdfast: () => server.withDatabase('bench_rendered', (url) => crawlRendered(url, site.origin)),
    crawlee: () => crawlee(site.origin, browser),
  };
  const rates = new Map<Contender, number[]>(contenders.map((name) => [name, []]));
  try {
    // A browser that was not read from the disk yet starts later.
    await crawlee(site.origin, browser);
    for (let repeat = 0; repeat < repeats; repeat++) {
      const turn = repeat % contenders.length;
      for (const name of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
        const rate = (pages / (await run[name]())) * 1000;
        rates.get(name)?.push(rate);
        console.log(`  repeat ${repeat + 1}: ${name}: ${rate.toFixed(1)} pages/s`);
      }
    }
  } finally {
    await site.stop();
  }
  return report(rates);
}

/** Milliseconds from the job to its completion; throws unless each page was stored as its script made it. */
async function crawlRendered(databaseUrl: string, origin: string): Promise<number> {
  const options = { url: `${origin}/app/0`, render: 'always', discover: false } as const;
  return await crawlDurably(
    databaseUrl,
    { origin, concurrency },
    options,
    async ({ ms, jobId, database }) => {
      const { rows } = await database.pool.query<{ pages: number }>(
        `SELECT count(*)::int AS pages FROM crawl_pages
       WHERE job_id = $1 AND outcome = 'fetched' AND rendered AND title LIKE 'App %' AND word_count > 300`,
        [jobId],
      );
      if (rows[0]?.pages !== pages) throw new Error(`${rows[0]?.pages} of ${pages} pages were rendered`);
      return ms;
    },
  );
}

async function crawlee(origin: string, browser: string): Promise<number> {
  const task = { origin, concurrency, start: '/app/0', browser };
  const { ms, pages: fetched } = await runPeer('./crawlee-playwright.ts', task);
  if (fetched !== pages) throw new Error(`${fetched} of ${pages} pages were fetched`);
  return ms;
}

function report(rates: ReadonlyMap<Contender, readonly number[]>): Outcome {
  const ours = rates.get('holdfast') ?? [];
  const standings = contenders.map((name) => {
    const own = rates.get(name) ?? [];
    return {
      name,
      pages_per_second: spread(own, 1),
      times: spread(own.map((rate, repeat) => (ours[repeat] ?? Number.NaN) / rate)),
    };
  });
  const table = printTable(
    ['', 'pages/s', 'spread', 'ratio', 'spread'],
    standings.map(({ name, pages_per_second: rate, times }) => [
      name,
      String(rate.median),
      `${rate.min}–${rate.max}`,
      ...(name === 'holdfast' ? [] : [`${times.median} ×`, `${times.min}–${times.max}`]),
    ]),
  );
  const worst = Math.min(...standings.slice(1).map(({ times }) => times.median));
  const figures = {
    pages,
    concurrency,
    standings,
    worst_times: worst,
    floor,
    goal,
    goal_reached: worst >= goal,
  };
  return { table, pass: worst >= floor, figures };
}
