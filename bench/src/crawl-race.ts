import type { BenchServer } from './bench-server.ts';
import type { WithLaps } from './compare/laps.ts';
import { checkPages } from './crawlers/check-pages.ts';
import { crawlDurably } from './crawlers/holdfast.ts';
import { findScrapy, type PeerResult, runPeer, runScrapy } from './crawlers/run-peer.ts';
import { printTable, type Table, thousands } from './print-table.ts';
import { measureCeiling } from './site/measure-ceiling.ts';
import { linksPerPage } from './site/page-maker.ts';
import { type Site, startReadySite } from './site/start-site.ts';
import { round, type Spread, spread } from './statistics.ts';

export const sitePages = 5_000;
/** Requests at a time: the best of the bare loops' in most runs; ours has the same. */
const concurrency = 32;

/** One crawl of one contender. */
interface Lap {
  readonly pagesPerSecond: number;
  readonly peakMb: number;
  /** Of the process that fetches, per page. */
  readonly cpuMicros: number;
  /** Of what else works for it: PostgreSQL and the supervisor. */
  readonly besidesMicros?: number;
}

export interface Racer {
  readonly name: string;
  /** It runs in the first so many repeats: the slow ones need not run in all. */
  readonly laps: number;
  run(site: RaceSite): Promise<Lap>;
}

export interface RaceSite {
  readonly origin: string;
  readonly server: BenchServer;
}

export interface Standing {
  readonly name: string;
  readonly laps: readonly Lap[];
  readonly pagesPerSecond: Spread;
  /** Ours against it, of the same repeat. */
  readonly holdfastIsTimes: Spread | undefined;
}

export interface Race {
  readonly standings: readonly Standing[];
  readonly table: Table;
}

export function holdfast(laps: number, markdown: boolean): Racer {
  return {
    name: 'holdfast',
    laps,
    run: ({ origin, server }) =>
      server.withDatabase('bench_crawl', (url) =>
        crawlDurably(url, { origin, concurrency }, { markdown }, async (crawl) => {
          await checkPages(crawl, { origin, pages: sitePages }, markdown);
          const { runner, supervisor, postgres } = crawl.cpuSeconds;
          return {
            pagesPerSecond: (sitePages / crawl.ms) * 1000,
            peakMb: crawl.peakMb,
            cpuMicros: (runner / sitePages) * 1e6,
            besidesMicros: ((supervisor + postgres) / sitePages) * 1e6,
          };
        }),
      ),
  };
}

/** Ours alone, for a comparison of two states of the product. */
export function holdfastLaps(markdown: boolean): WithLaps {
  return async (server, use) => {
    const site = await startReadySite(sitePages);
    const origin = `http://127.0.0.1:${site.port}`;
    try {
      await use(async () => {
        const lap = await holdfast(1, markdown).run({ origin, server });
        return [
          { name: 'pages/s', value: lap.pagesPerSecond, better: 'more' },
          { name: 'runner CPU µs/page', value: lap.cpuMicros, better: 'less', aside: true },
          { name: 'CPU beside it µs/page', value: lap.besidesMicros ?? 0, better: 'less', aside: true },
          { name: 'runner MB', value: lap.peakMb, better: 'less', aside: true },
        ];
      });
    } finally {
      await site.stop();
    }
  };
}

/** `pages`: a slow one is stopped there; it gets no faster by going on. */
export function peer(name: string, module: string, laps: number, pages = sitePages): Racer {
  const limit = pages < sitePages ? { maxPages: pages } : {};
  return {
    name,
    laps,
    run: async ({ origin }) => lapOf(await runPeer(module, { origin, concurrency, ...limit }), pages),
  };
}

export function scrapy(laps: number, maxPages: number): Racer[] {
  const found = findScrapy();
  if (!found) {
    console.log('  scrapy: skipped, it is not installed (Debian: python3-scrapy)');
    return [];
  }
  const run = async ({ origin }: RaceSite) =>
    lapOf(await runScrapy(found.python, { origin, concurrency, maxPages }), maxPages);
  return [{ name: `scrapy ${found.version}`, laps, run }];
}

/** Every crawler is held to have fetched the pages and seen their links. */
function lapOf({ ms, pages, links, peakMb, cpuSeconds }: PeerResult, expected: number): Lap {
  if (pages < expected || links < pages * linksPerPage)
    throw new Error(`${pages} of ${expected} pages were fetched, ${links} links seen`);
  return { pagesPerSecond: (pages / ms) * 1000, peakMb, cpuMicros: (cpuSeconds / pages) * 1e6 };
}

/** Lets all crawl the same site in turns, each the first in turn, and prints how they stand. */
export async function race(server: BenchServer, racers: readonly Racer[]): Promise<Race> {
  const site = await startReadySite(sitePages);
  try {
    await describeSite(site);
    const origin = `http://127.0.0.1:${site.port}`;
    const laps = new Map<string, Lap[]>(racers.map(({ name }) => [name, []]));
    const repeats = Math.max(...racers.map((racer) => racer.laps));
    for (let repeat = 0; repeat < repeats; repeat++) {
      const turn = repeat % racers.length;
      for (const racer of [...racers.slice(turn), ...racers.slice(0, turn)]) {
        if (repeat >= racer.laps) continue;
        const lap = await racer.run({ origin, server });
        laps.get(racer.name)?.push(lap);
        console.log(`  repeat ${repeat + 1}: ${racer.name} ${thousands(lap.pagesPerSecond)} pages/s`);
      }
    }
    const standings = racers.map(({ name }) => standingOf(name, laps));
    return { standings, table: print(standings) };
  } finally {
    await site.stop();
  }
}

async function describeSite({ by, port }: Site): Promise<void> {
  const ceiling = await measureCeiling(port, sitePages);
  console.log(
    `  ${thousands(sitePages)} pages with ${linksPerPage} links each, served by ${by}, which alone reaches ${thousands(ceiling)} pages/s`,
  );
}

function standingOf(name: string, laps: ReadonlyMap<string, readonly Lap[]>): Standing {
  const own = laps.get(name) ?? [];
  const ours = laps.get('holdfast') ?? [];
  const ratios = own.map((lap, repeat) => (ours[repeat]?.pagesPerSecond ?? Number.NaN) / lap.pagesPerSecond);
  return {
    name,
    laps: own,
    pagesPerSecond: spread(
      own.map((lap) => lap.pagesPerSecond),
      0,
    ),
    holdfastIsTimes: name === 'holdfast' ? undefined : spread(ratios),
  };
}

function print(standings: readonly Standing[]): Table {
  return printTable(
    ['', 'pages/s', 'spread', 'CPU µs/page', 'other µs/page', 'memory MB', 'ratio', 'spread'],
    standings.map(({ name, laps, pagesPerSecond: rate, holdfastIsTimes: times }) => [
      name,
      thousands(rate.median),
      `${thousands(rate.min)}–${thousands(rate.max)}`,
      thousands(spread(laps.map((lap) => lap.cpuMicros)).median),
      laps[0]?.besidesMicros === undefined
        ? ''
        : thousands(spread(laps.map((lap) => lap.besidesMicros ?? 0)).median),
      thousands(Math.max(...laps.map((lap) => lap.peakMb))),
      ...(times ? [`${times.median} ×`, `${times.min}–${times.max}`] : []),
    ]),
  );
}

/** For the line that programs read. */
export function figuresOf(standings: readonly Standing[]): Record<string, unknown> {
  const entries = standings.map(({ name, laps, pagesPerSecond, holdfastIsTimes }) => [
    name.replace(/ [\d.]+$/, '').replaceAll(' ', '_'),
    {
      pages_per_second: pagesPerSecond,
      cpu_micros_per_page: spread(
        laps.map((lap) => lap.cpuMicros),
        0,
      ).median,
      peak_mb: round(Math.max(...laps.map((lap) => lap.peakMb)), 0),
      ...(holdfastIsTimes && { holdfast_is_times: holdfastIsTimes }),
    },
  ]);
  return { pages: sitePages, ...Object.fromEntries(entries) };
}

/** Whether our median ratio to each peer that took part is at least as said. */
export function reaches(standings: readonly Standing[], bars: Readonly<Record<string, number>>): boolean {
  return Object.entries(bars).every(([name, least]) => {
    const standing = standings.find((one) => one.name.startsWith(name));
    return standing === undefined || (standing.holdfastIsTimes?.median ?? 0) >= least;
  });
}
