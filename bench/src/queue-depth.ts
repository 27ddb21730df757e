import pg from 'pg';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import type { BenchServer } from './bench-server.ts';
import { ClaimSampler } from './claim-sampler.ts';
import { drain, fill } from './contenders/holdfast.ts';
import { fillDepths } from './fill-depths.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { percentile, round } from './statistics.ts';

const depths = { finished: 1_000_000, waiting: 100_000, pending: 100_000 };
const flow = 200_000;
const floor = 2;
const goal = 1.5;
/** Jobs in one claim, and how often it is measured. */
const claims = [
  { limit: 1, samples: 400 },
  { limit: 100, samples: 150 },
];

interface Measured {
  readonly limit: number;
  readonly empty_p50_ms: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly times: number;
}

export async function measure(server: BenchServer): Promise<Outcome> {
  return server.withDatabase('bench_depth_empty', (emptyUrl) =>
    server.withDatabase('bench_depth_full', async (fullUrl) => {
      const empty = await open(emptyUrl);
      const full = await open(fullUrl);
      try {
        await fillDepths(full.pool, depths);
        await fill(full, depths.pending);
        for (const { pool } of [empty, full]) await pool.query('VACUUM ANALYZE');
        const deep = await compare(empty, full);
        const snapshot = await holdSnapshot(fullUrl);
        await fill(full, flow);
        await drain(full, flow, 1000);
        const underSnapshot = await compare(empty, full);
        await snapshot.end();
        return report({ deep, under_snapshot: underSnapshot });
      } finally {
        await empty.close();
        await full.close();
      }
    }),
  );
}

function open(url: string): Promise<Database> {
  return openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog);
}

/** Until it ends, nothing that is deleted or changed from now on can be cleaned up. */
async function holdSnapshot(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM crawl_jobs');
  return client;
}

/** One claim here, one there, in turn, so that whatever else the machine does falls on both. */
async function compare(empty: Database, full: Database): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { limit, samples } of claims) {
    const sides = [new ClaimSampler(empty.pool, limit), new ClaimSampler(full.pool, limit)] as const;
    for (const side of sides) await side.warmUp();
    for (let sample = 0; sample < samples; sample++) {
      for (const side of sample % 2 ? sides : sides.toReversed()) await side.sample();
    }
    const [emptyMs, fullMs] = sides.map((side) => side.samples) as [number[], number[]];
    const times = percentile(fullMs, 0.5) / percentile(emptyMs, 0.5);
    measured.push({
      limit,
      empty_p50_ms: round(percentile(emptyMs, 0.5)),
      p50_ms: round(percentile(fullMs, 0.5)),
      p95_ms: round(percentile(fullMs, 0.95)),
      times: round(times),
    });
  }
  return measured;
}

function report(results: Record<'deep' | 'under_snapshot', Measured[]>): Outcome {
  const titles = {
    deep: `${thousands(depths.finished)} finished, ${thousands(depths.waiting)} waiting, ${thousands(depths.pending)} pending`,
    under_snapshot: `the same, old snapshot, ${thousands(flow)} completed since`,
  };
  const rows = (['deep', 'under_snapshot'] as const).flatMap((name) =>
    results[name].map((one) => [
      titles[name],
      String(one.limit),
      String(one.empty_p50_ms),
      String(one.p50_ms),
      String(one.p95_ms),
      `${one.times} ×`,
    ]),
  );
  const table = printTable(
    ['table contents', 'jobs', 'empty p50 ms', 'p50 ms', 'p95 ms', 'full / empty'],
    rows,
  );
  const worst = Math.max(...Object.values(results).flatMap((all) => all.map((one) => one.times)));
  return {
    table,
    pass: worst <= floor,
    figures: { ...results, worst_times: worst, floor, goal, goal_reached: worst <= goal },
  };
}
