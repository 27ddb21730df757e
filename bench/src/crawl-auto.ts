import type { CrawlOptions } from '../../packages/contract/src/index.ts';
import type { BenchServer } from './bench-server.ts';
import { crawlDurably } from './crawlers/holdfast.ts';
import type { Outcome } from './main.ts';
import { printTable } from './print-table.ts';
import { startAppSite } from './site/start-app-site.ts';
import { spread } from './statistics.ts';

const apps = 30;
const texts = 270;
const repeats = 3;
const concurrency = 16;
const floor = 1.5;
const goal = 1.2;

/** B14: a crawl that has to find out which pages need a browser, against two that were told. Nothing is known before. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const site = await startAppSite({ apps, texts });
  const { origin } = site;
  const appUrls = Array.from({ length: apps }, (_, n) => `${origin}/app/${n}`);
  const textUrls = Array.from({ length: texts }, (_, n) => `${origin}/text/${n}`);
  // As a crawl meets them: one in ten.
  const mixed = textUrls.flatMap((url, n) => (n % 9 === 0 ? [url, appUrls[n / 9] as string] : [url]));
  const ways = {
    'text pages, never': { urls: textUrls, render: 'never', rendered: 0 },
    'app pages, always': { urls: appUrls, render: 'always', rendered: apps },
    'all, auto': { urls: mixed, render: 'auto', rendered: apps },
  } as const;
  type Way = keyof typeof ways;
  const names = Object.keys(ways) as Way[];
  const laps = new Map<Way, number[]>(names.map((name) => [name, []]));
  try {
    for (let repeat = 0; repeat <= repeats; repeat++) {
      const turn = repeat % names.length;
      for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
        const { urls, render, rendered } = ways[name];
        const ms = await server.withDatabase('bench_auto', (url) =>
          crawlPages(url, origin, { urls, render }, rendered),
        );
        // The first ones are a warm-up.
        if (repeat === 0) continue;
        laps.get(name)?.push(ms);
        console.log(`  repeat ${repeat}: ${name}: ${(ms / 1000).toFixed(2)} s`);
      }
    }
  } finally {
    await site.stop();
  }
  const of = (name: Way) => laps.get(name) ?? [];
  const times = spread(
    of('all, auto').map(
      (ms, at) => ms / ((of('text pages, never')[at] ?? 0) + (of('app pages, always')[at] ?? 0)),
    ),
  );
  const table = printTable(
    ['', 'seconds', 'spread'],
    names.map((name) => {
      const seconds = spread(of(name).map((ms) => ms / 1000));
      return [name, String(seconds.median), `${seconds.min}–${seconds.max}`];
    }),
  );
  const seconds = Object.fromEntries(names.map((name) => [name, spread(of(name).map((ms) => ms / 1000))]));
  return {
    table,
    pass: times.median <= floor,
    figures: { apps, texts, concurrency, seconds, times, floor, goal, goal_reached: times.median <= goal },
  };
}

async function crawlPages(
  databaseUrl: string,
  origin: string,
  { urls, render }: { readonly urls: readonly string[]; readonly render: CrawlOptions['render'] },
  rendered: number,
): Promise<number> {
  const [url, ...more] = urls;
  const options: Partial<CrawlOptions> = { url: url as string, urls: more, strategy: 'batch', render };
  return await crawlDurably(
    databaseUrl,
    { origin, concurrency },
    options,
    async ({ ms, jobId, database }) => {
      const { rows } = await database.pool.query<{ whole: number; rendered: number }>(
        `SELECT count(*) FILTER (WHERE word_count > 300)::int AS whole, count(*) FILTER (WHERE rendered)::int AS rendered
       FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched'`,
        [jobId],
      );
      if (rows[0]?.whole !== urls.length)
        throw new Error(`${rows[0]?.whole} of ${urls.length} pages have their text`);
      if (rows[0]?.rendered !== rendered)
        throw new Error(`${rows[0]?.rendered} pages were rendered, not ${rendered}`);
      return ms;
    },
  );
}
