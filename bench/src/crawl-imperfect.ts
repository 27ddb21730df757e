import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../packages/contract/src/index.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { configureSource } from '../../packages/server/src/governor/sources/configure-source.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from './bench-server.ts';
import { HoldfastWorker } from './crawlers/holdfast-worker.ts';
import { findScrapy, runPeer, runScrapy } from './crawlers/run-peer.ts';
import { type ImperfectVerdict, judgeImperfect } from './imperfect-verdict.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { drawFaults, type Faults, fetchablePages } from './site/imperfect-plan.ts';
import type { ImperfectTask, SentPage } from './site/imperfect-task.ts';
import { type Origin, startOrigin } from './site/origin.ts';
import { siteLinks } from './site/page-maker.ts';
import { round, type Spread, spread } from './statistics.ts';

const pages = 1_500;
/**
 * Together they let a good site be crawled as fast as the machine can, and leave the slow pages the smaller part of the time
 * (bench/README.md has the reckoning).
 */
const concurrency = 64;
const delayMs = 100;
/** As often as Crawlee asks again by itself. */
const retries = 3;
/** A crawl that is not through by then is not waited for. */
const patienceMs = 60_000;
const settleMs = 1_500;
const lookMs = 100;
const defaultSeeds = '1,2,3';
const floor = { faultless: 0.4, scrapy: 3 };
const goal = { faultless: 0.7 };

interface Contender {
  readonly name: string;
  /** false: the same site without its faults. */
  readonly imperfect: boolean;
  /** It runs on the first so many seeds. */
  readonly laps: number;
  /** Resolves when it has got all that it will get. */
  crawl(origin: Origin<SentPage>, fetchable: readonly number[]): Promise<void>;
}

/** B12: what a site's ordinary faults cost. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const seeds = (process.env['B12_SEEDS'] ?? defaultSeeds).split(',').map(Number);
  const contenders = contendersOn(server, seeds.length);
  const laps = new Map<Contender, ImperfectVerdict[]>(contenders.map((one) => [one, []]));
  for (const [repeat, seed] of seeds.entries()) {
    const turn = repeat % contenders.length;
    for (const contender of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
      if (repeat >= contender.laps) continue;
      const lap = await crawlSite(contender, seed);
      laps.get(contender)?.push(lap);
      console.log(`  seed ${seed}: ${describe(contender)}: ${tell(lap)}`);
    }
  }
  return report(seeds, laps);
}

function contendersOn(server: BenchServer, laps: number): Contender[] {
  const holdfast: Contender['crawl'] = (origin, fetchable) =>
    server.withDatabase('bench_imperfect', (url) => crawlWithHoldfast(url, origin, fetchable));
  const peer = async (module: string, origin: Origin<SentPage>) => {
    await runPeer(module, { origin: origin.url, concurrency, retries });
  };
  const found = findScrapy();
  if (!found) console.log('  scrapy: skipped, it is not installed (Debian: python3-scrapy)');
  const bare: Contender['crawl'] = (origin) => peer('./patient-loop.ts', origin);
  return [
    { name: 'holdfast', imperfect: true, laps, crawl: holdfast },
    { name: 'holdfast', imperfect: false, laps, crawl: holdfast },
    { name: 'patient loop', imperfect: true, laps, crawl: bare },
    { name: 'patient loop', imperfect: false, laps, crawl: bare },
    { name: 'crawlee', imperfect: true, laps, crawl: (origin) => peer('./crawlee.ts', origin) },
    ...(found
      ? [
          {
            name: `scrapy ${found.version}`,
            imperfect: true,
            laps: Math.min(laps, 2),
            crawl: async ({ url: origin }: Origin<SentPage>) => {
              await runScrapy(found.python, { origin, concurrency, retries });
            },
          },
        ]
      : []),
  ];
}

/** The origin is new for each lap: what it refuses once, it refuses each of them once. */
async function crawlSite({ name, imperfect, crawl }: Contender, seed: number): Promise<ImperfectVerdict> {
  const task: ImperfectTask = { pages, delayMs, ...(imperfect && { seed }) };
  const faults: Faults = imperfect ? drawFaults(seed, pages, siteLinks(pages)) : new Map();
  const fetchable = fetchablePages(faults, pages);
  const origin = await startOrigin<SentPage>('./imperfect-program.ts', task);
  try {
    await crawl(origin, fetchable);
    // The peers have ended by themselves.
    return judgeImperfect(await origin.log(), fetchable, name === 'holdfast' ? patienceMs : undefined);
  } finally {
    await origin.stop();
  }
}

/** Until all that can be fetched is fetched and stored, or patience ends: retries of broken pages are not waited for. */
async function crawlWithHoldfast(
  databaseUrl: string,
  origin: Origin<SentPage>,
  fetchable: readonly number[],
): Promise<void> {
  const database = await openDatabase({ databaseUrl, dataFolder: '', databasePort: 0 }, quietLog, {
    name: 'bench',
  });
  const { pool } = database;
  const worker = await HoldfastWorker.start(databaseUrl, [origin.url], { quiet: true });
  try {
    // As an operator opens a site of his own; unknown hosts get 8 requests at a time.
    await configureSource(pool, 'bench', { hosts: [new URL(origin.url).host], concurrency });
    await delay(settleMs);
    const payload = { url: `${origin.url}/`, concurrency, markdown: false };
    const { job } = await enqueueJob(pool, { kind: 'crawl', payload } as JobRequest);
    await new Notifier(pool).notify('work');
    const until = performance.now() + patienceMs;
    let stored = 0;
    while (stored < fetchable.length && performance.now() < until) {
      await delay(lookMs);
      const { rows } = await pool.query<{ stored: number }>(
        `SELECT count(*)::int AS stored FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched'`,
        [job.id],
      );
      stored = rows[0]?.stored ?? 0;
    }
    const { missing } = judgeImperfect(await origin.log(), fetchable);
    if (stored > fetchable.length || (missing === 0 && stored < fetchable.length))
      throw new Error(`${stored} of ${fetchable.length} pages are stored`);
    if ((await showJob(pool, job.id)).status !== 'completed') await actOnJob(pool, 'cancel', job.id);
  } finally {
    await worker.stop();
    await database.close();
  }
}

const describe = ({ name, imperfect }: Contender) => (imperfect ? name : `${name}, no faults`);

function tell({ fetched, missing, seconds, pagesPerSecond }: ImperfectVerdict): string {
  const gaveUp = missing > 0 ? `, ${thousands(missing)} missing` : '';
  return `${thousands(fetched)} pages in ${round(seconds, 1)} s, ${round(pagesPerSecond, 1)} pages/s${gaveUp}`;
}

function report(
  seeds: readonly number[],
  laps: ReadonlyMap<Contender, readonly ImperfectVerdict[]>,
): Outcome {
  const lapsOf = (name: string, imperfect: boolean) =>
    [...laps].find(([one]) => one.name.startsWith(name) && one.imperfect === imperfect)?.[1] ?? [];
  const ours = lapsOf('holdfast', true);
  /** Of the same seed, so that slow noise of the machine falls on both. */
  const times = (
    own: readonly ImperfectVerdict[],
    other: readonly ImperfectVerdict[],
  ): Spread | undefined => {
    const ratios = other.map((lap, at) => (own[at]?.pagesPerSecond ?? Number.NaN) / lap.pagesPerSecond);
    return ratios.length > 0 ? spread(ratios) : undefined;
  };
  const standings = [...laps].map(([contender, own]) => ({
    contender,
    rate: spread(
      own.map((lap) => lap.pagesPerSecond),
      1,
    ),
    missing: Math.max(...own.map((lap) => lap.missing)),
    holdfastIsTimes: own === ours ? undefined : times(ours, own),
  }));
  const table = printTable(
    ['', 'pages/s', 'spread', 'pages missing', 'ratio', 'spread'],
    standings.map(({ contender, rate, missing, holdfastIsTimes }) => [
      describe(contender),
      String(rate.median),
      `${rate.min}–${rate.max}`,
      String(missing),
      ...(holdfastIsTimes
        ? [`${holdfastIsTimes.median} ×`, `${holdfastIsTimes.min}–${holdfastIsTimes.max}`]
        : []),
    ]),
  );
  const toFaultless = times(ours, lapsOf('holdfast', false));
  const toScrapy = times(ours, lapsOf('scrapy', true));
  const isWhole = ours.every(({ missing }) => missing === 0);
  const holds = (bar: { faultless: number; scrapy?: number }) =>
    isWhole &&
    (toFaultless?.median ?? 0) >= bar.faultless &&
    (toScrapy === undefined || toScrapy.median >= (bar.scrapy ?? 0));
  return {
    table,
    pass: holds(floor),
    figures: {
      pages,
      seeds,
      contenders: standings.map(({ contender, rate, missing, holdfastIsTimes }) => ({
        name: describe(contender),
        pages_per_second: rate,
        missing,
        ...(holdfastIsTimes && { holdfast_is_times: holdfastIsTimes }),
      })),
      times_faultless: toFaultless,
      times_scrapy: toScrapy,
      patient_loop_times_faultless: times(lapsOf('patient loop', true), lapsOf('patient loop', false)),
      floor,
      goal,
      goal_reached: holds(goal),
    },
  };
}
