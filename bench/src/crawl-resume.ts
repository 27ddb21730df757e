import { setTimeout as delay } from 'node:timers/promises';
import type { BenchServer } from './bench-server.ts';
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
import { spread } from './statistics.ts';

const sizes = [1_000, 1_000_000];
const rounds = 3;
const killsPerRound = 4;
/** Between two kills: until it crawls at full speed again, and a spare runner is there, as on any day. */
const pagesBetween = 300;
const restMs = 1_500;
const lookMs = 5;
/** Flat: the large crawl comes back as soon as the small one, but for what the machine's noise makes of it. */
const flat = 1.5;
const floor = { ms: 2_000, times: flat };
const goal = { ms: 1_000, times: flat };

/** B7: from the death of a runner to the next page that is fetched and stored. */
export async function measure(server: BenchServer): Promise<Outcome> {
  return await withKnownCrawls(server, sizes, async (crawls) => {
    const samples = new Map<number, number[]>(sizes.map((size) => [size, []]));
    for (let round = 0; round < rounds; round++) {
      for (const crawl of round % 2 === 0 ? crawls : crawls.toReversed())
        samples.get(crawl.known)?.push(...(await killAndResume(crawl)));
    }
    for (const crawl of crawls) await checkCounts(crawl);
    return report(samples);
  });
}

async function killAndResume(crawl: KnownCrawl): Promise<number[]> {
  const worker = await HoldfastWorker.start(crawl.database.url, [crawl.origin], { quiet: true });
  try {
    await resumeCrawl(crawl);
    const samples: number[] = [];
    for (let kill = 0; kill < killsPerRound; kill++) {
      await untilFetched(crawl, (await fetchedSoFar(crawl)) + pagesBetween);
      await delay(restMs);
      samples.push(await killRunner(crawl, worker));
    }
    await pauseCrawl(crawl);
    return samples;
  } finally {
    await worker.stop();
  }
}

/** What was fetched before the kill may be committed after it; only a page that was fetched later counts. */
async function killRunner({ database, jobId }: KnownCrawl, worker: HoldfastWorker): Promise<number> {
  const runner = worker.runnerPid;
  if (runner === undefined) throw new Error('there is no runner');
  process.kill(runner, 'SIGKILL');
  const killedAt = Date.now();
  for (;;) {
    const { rows } = await database.pool.query<{ at: Date }>(
      'SELECT fetched_at AS at FROM crawl_pages WHERE job_id = $1 ORDER BY page_no DESC LIMIT 1',
      [jobId],
    );
    if ((rows[0]?.at.getTime() ?? 0) > killedAt + 1) return Date.now() - killedAt;
    await delay(lookMs);
  }
}

function report(samples: ReadonlyMap<number, readonly number[]>): Outcome {
  const figures = sizes.map((known) => ({ known, ms: spread(samples.get(known) ?? [], 0) }));
  const [small, large] = figures;
  const times = Number(((large?.ms.median ?? 0) / (small?.ms.median ?? 1)).toFixed(2));
  const table = printTable(
    ['known URLs', 'kills', 'ms to next page', 'spread'],
    figures.map(({ known, ms }) => [
      thousands(known),
      String(samples.get(known)?.length),
      thousands(ms.median),
      `${thousands(ms.min)}–${thousands(ms.max)}`,
    ]),
  );
  const holds = (bar: typeof floor) => figures.every(({ ms }) => ms.median <= bar.ms) && times <= bar.times;
  return {
    table,
    pass: holds(floor),
    figures: { sizes: figures, times, floor, goal, goal_reached: holds(goal) },
  };
}
