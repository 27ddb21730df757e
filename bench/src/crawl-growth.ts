import type { BenchServer } from './bench-server.ts';
import type { Figure, WithLaps } from './compare/laps.ts';
import { HoldfastWorker } from './crawlers/holdfast-worker.ts';
import {
  checkCounts,
  fetchedSoFar,
  type KnownCrawl,
  pauseCrawl,
  resumeCrawl,
  untilFetched,
  withKnownCrawls,
} from './crawlers/known-crawl.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { spread } from './statistics.ts';

const sizes = [10_000, 100_000, 1_000_000];
const repeats = 6;
/** The first pages of a run warm it up. */
const warmUp = 1_000;
const pages = 4_000;
const floor = { times: 1.3, runner_mb: 400 };
const goal = { times: 1.1, runner_mb: 250 };

interface Stretch {
  readonly microsPerPage: number;
  readonly cpuMicrosPerPage: number;
  readonly runnerMb: number;
}

/** B6: what a page costs, and what a runner needs, whatever the number of URLs that the crawl knows. */
export async function measure(server: BenchServer): Promise<Outcome> {
  return await withKnownCrawls(server, sizes, async (crawls) => {
    const stretches = new Map<number, Stretch[]>(sizes.map((size) => [size, []]));
    for (let repeat = 0; repeat < repeats; repeat++) {
      const turn = repeat % crawls.length;
      for (const crawl of [...crawls.slice(turn), ...crawls.slice(0, turn)]) {
        const stretch = await crawlOn(crawl);
        stretches.get(crawl.known)?.push(stretch);
        console.log(
          `  repeat ${repeat + 1}: ${thousands(crawl.known)} known: ${thousands(stretch.microsPerPage)} µs a page`,
        );
      }
    }
    for (const crawl of crawls) await checkCounts(crawl);
    return report(stretches);
  });
}

export const withLaps: WithLaps = (server, use) =>
  withKnownCrawls(server, sizes, (crawls) =>
    use(async () => {
      const figures: Figure[] = [];
      for (const crawl of crawls) {
        const { microsPerPage, cpuMicrosPerPage, runnerMb } = await crawlOn(crawl);
        const known = `${thousands(crawl.known)} known`;
        figures.push(
          { name: `µs/page, ${known}`, value: microsPerPage, better: 'less' },
          { name: `worker CPU µs/page, ${known}`, value: cpuMicrosPerPage, better: 'less', aside: true },
          { name: `runner MB, ${known}`, value: runnerMb, better: 'less', aside: true },
        );
      }
      return figures;
    }),
  );

async function crawlOn(crawl: KnownCrawl): Promise<Stretch> {
  const worker = await HoldfastWorker.start(crawl.database.url, [crawl.origin]);
  try {
    const before = await fetchedSoFar(crawl);
    await resumeCrawl(crawl);
    const from = await untilFetched(crawl, before + warmUp);
    const cpuBefore = treeCpuSeconds(worker.pid);
    const to = await untilFetched(crawl, from.pages + pages);
    const cpuSeconds = treeCpuSeconds(worker.pid) - cpuBefore;
    const runnerMb = worker.runnerPeakMb ?? Number.NaN;
    await pauseCrawl(crawl);
    const fetched = to.pages - from.pages;
    return {
      microsPerPage: ((to.atMs - from.atMs) / fetched) * 1000,
      cpuMicrosPerPage: (cpuSeconds / fetched) * 1e6,
      runnerMb,
    };
  } finally {
    await worker.stop();
  }
}

function report(stretches: ReadonlyMap<number, readonly Stretch[]>): Outcome {
  const smallest = stretches.get(sizes[0] ?? 0) ?? [];
  const figures = sizes.map((size) => {
    const own = stretches.get(size) ?? [];
    return {
      known: size,
      micros_per_page: spread(
        own.map((one) => one.microsPerPage),
        0,
      ),
      // Of the same repeat, so that slow noise of the machine falls on both.
      times: spread(own.map((one, repeat) => one.microsPerPage / (smallest[repeat]?.microsPerPage ?? 0))),
      cpu_times: spread(
        own.map((one, repeat) => one.cpuMicrosPerPage / (smallest[repeat]?.cpuMicrosPerPage ?? 0)),
      ),
      runner_mb: spread(
        own.map((one) => one.runnerMb),
        0,
      ),
    };
  });
  const table = printTable(
    ['known URLs', 'µs/page', 'spread', 'ratio', 'spread', 'worker CPU', 'runner MB', 'spread'],
    figures.map(({ known, micros_per_page: micros, times, cpu_times: cpu, runner_mb: mb }) => [
      thousands(known),
      thousands(micros.median),
      `${thousands(micros.min)}–${thousands(micros.max)}`,
      `${times.median} ×`,
      `${times.min}–${times.max}`,
      `${cpu.median} ×`,
      thousands(mb.median),
      `${thousands(mb.min)}–${thousands(mb.max)}`,
    ]),
  );
  const worst = Math.max(...figures.map(({ times }) => times.median));
  const mostMb = Math.max(...figures.map(({ runner_mb: mb }) => mb.max));
  const holds = (bar: typeof floor) => worst <= bar.times && mostMb <= bar.runner_mb;
  return {
    table,
    pass: holds(floor),
    figures: { pages, repeats, sizes: figures, worst_times: worst, floor, goal, goal_reached: holds(goal) },
  };
}
