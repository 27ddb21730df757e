import { fork } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import type { BenchServer } from './bench-server.ts';
import { runFleet, type Target } from './bots/bot-fleet.ts';
import type { Outcome } from './main.ts';
import { printTable, thousands } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { spread } from './statistics.ts';

const bots = 50;
const jobs = 10_000;
const warmUp = 2_000;
const repeats = 5;
const floor = 0.3;
const goal = 0.5;

const sides = ['holdfast', 'bare'] as const;
type Side = (typeof sides)[number];

export async function measure(server: BenchServer): Promise<Outcome> {
  const rates: Record<Side, number[]> = { holdfast: [], bare: [] };
  for (let repeat = 0; repeat < repeats; repeat++) {
    // Each goes first in turn.
    for (const side of repeat % 2 === 0 ? sides : sides.toReversed()) {
      const rate = await server.withDatabase(`bench_bots_${side}`, (url) => jobsPerSecond(side, url));
      rates[side].push(rate);
      console.log(`  repeat ${repeat + 1}: ${side} ${thousands(rate)} jobs/s`);
    }
  }
  return report(rates);
}

/** Each repeat has its own server process and its own new database, with the same schema and jobs for both. */
async function jobsPerSecond(side: Side, url: string): Promise<number> {
  await fill(url);
  const child = fork(new URL(`./bots/${side}-server.ts`, import.meta.url), [url], {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  try {
    const [target] = (await Promise.race([once(child, 'message'), died(child)])) as [Target];
    await runFleet(target, bots, warmUp);
    const started = performance.now();
    await runFleet(target, bots, jobs);
    const seconds = (performance.now() - started) / 1000;
    await verify(side, url);
    return jobs / seconds;
  } finally {
    if (child.connected) child.disconnect();
    if (child.exitCode === null) await once(child, 'exit');
  }
}

async function died(child: ReturnType<typeof fork>): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`the server ended with code ${code}`);
}

async function fill(url: string): Promise<void> {
  const database = await openDatabase({ databaseUrl: url, dataFolder: '', databasePort: 0 }, quietLog);
  for (let first = 0; first < jobs + warmUp; first += 1000) {
    await enqueueJobs(
      database.pool,
      Array.from({ length: 1000 }, (_, index) => ({
        kind: 'visit' as const,
        executor: 'bot' as const,
        payload: { url: `https://shop${index % 20}.example/product/${first + index}` },
        user_id: 'bench',
      })),
    );
  }
  await database.pool.query('VACUUM (ANALYZE) crawl_jobs');
  await database.pool.query('CHECKPOINT');
  await database.close();
}

/** Both have stored a result, a claim, a completion and an answer for each job; ours has each job completed at once. */
async function verify(side: Side, url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    `SELECT (SELECT count(DISTINCT job_id) FROM crawl_results) AS results,
       (SELECT count(*) FROM job_events WHERE transition = 'claim') AS claims,
       (SELECT count(*) FROM job_events WHERE transition = 'complete') AS completions,
       (SELECT count(*) FROM bot_submissions) AS answers,
       (SELECT count(*) FROM crawl_jobs WHERE status = 'completed' AND fence = 1) AS completed`,
  );
  await client.end();
  const all = String(jobs + warmUp);
  const { completed, ...stored } = rows[0];
  const isWhole = Object.values(stored).every((count) => count === all);
  if (!isWhole || completed !== (side === 'holdfast' ? all : '0'))
    throw new Error(`${side}: ${JSON.stringify(rows[0])} instead of ${all}`);
}

function report(rates: Record<Side, number[]>): Outcome {
  const ratio = spread(rates.holdfast.map((ours, repeat) => ours / (rates.bare[repeat] ?? Number.NaN)));
  const row = (side: Side) => {
    const { median, min, max } = spread(rates[side], 0);
    return [side, thousands(median), `${thousands(min)}–${thousands(max)}`];
  };
  const table = printTable(
    ['', 'jobs/s', 'spread', 'ratio', 'spread', 'goal'],
    [row('holdfast'), [...row('bare'), `${ratio.median} ×`, `${ratio.min}–${ratio.max}`, `${goal} ×`]],
  );
  return {
    table,
    pass: ratio.median >= floor,
    figures: {
      bots,
      jobs,
      repeats,
      holdfast: { jobs_per_second: spread(rates.holdfast, 0) },
      bare: { jobs_per_second: spread(rates.bare, 0), holdfast_is_times: ratio },
      floor,
      goal,
      goal_reached: ratio.median >= goal,
    },
  };
}
