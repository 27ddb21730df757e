import { setTimeout as delay } from 'node:timers/promises';
import type { JobRequest } from '../../packages/contract/src/index.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import type { BenchServer } from './bench-server.ts';
import { HoldfastWorker } from './crawlers/holdfast-worker.ts';
import type { Outcome } from './main.ts';
import { courseOf, judgeOverload, type OverloadVerdict } from './overload-verdict.ts';
import { printTable, thousands } from './print-table.ts';
import { quietLog } from './quiet-log.ts';
import { startOrigin } from './site/origin.ts';
import type { OriginAnswer, Phase } from './site/overloaded-task.ts';
import { round } from './statistics.ts';

const phases: readonly Phase[] = [
  { seconds: 30, capacity: 50 },
  { seconds: 20, capacity: 20 },
  { seconds: 40, capacity: 50 },
];
const burst = 10;
const delayMs = 50;
const crawls = 2;
const concurrency = 32;
const spanSeconds = 5;
const settleMs = 1_500;
const ways = [
  { name: '429', refusal: 429 },
  { name: '429-retry-after', refusal: 429, retryAfter: 1 },
  { name: '503', refusal: 503 },
  { name: '503-retry-after', refusal: 503, retryAfter: 1 },
] as const;
type Way = (typeof ways)[number];

const floor = { used: 0.7, refused: 0.05, back_seconds: 30 };
const goal = { used: 0.85, refused: 0.02, back_seconds: 30 };

interface Run extends OverloadVerdict {
  readonly way: Way;
  /** Stored by each of the crawls. */
  readonly pages: readonly number[];
}

/** B12b: two crawls on two workers share an origin whose capacity they have to find, and to find again. */
export async function measure(server: BenchServer): Promise<Outcome> {
  const only = process.env['B12B_ONLY'];
  const chosen = ways.filter(({ name }) => !only || name === only);
  if (chosen.length === 0)
    throw new Error(`B12B_ONLY is ${only}; it can be ${ways.map(({ name }) => name).join(', ')}`);
  const runs: Run[] = [];
  for (const way of chosen) {
    const run = await server.withDatabase('bench_overload', (url) => crawlOverloaded(url, way));
    runs.push(run);
    console.log(`  ${way.name}: ${percent(run.used)} used, ${percent(run.refused)} refused`);
  }
  return report(runs);
}

async function crawlOverloaded(databaseUrl: string, way: Way): Promise<Run> {
  const origin = await startOrigin<OriginAnswer>('./overloaded-program.ts', {
    ...way,
    phases,
    burst,
    delayMs,
  });
  const database = await openDatabase({ databaseUrl, dataFolder: '', databasePort: 0 }, quietLog, {
    name: 'bench',
  });
  const { pool } = database;
  const workers = await Promise.all(
    Array.from({ length: crawls }, () =>
      HoldfastWorker.start(databaseUrl, [origin.url], { jobs: 1, quiet: true }),
    ),
  );
  try {
    await delay(settleMs);
    const payload = { url: `${origin.url}/`, concurrency, max_depth: 1000, discover: false, markdown: false };
    const requests = Array.from({ length: crawls }, () => ({ kind: 'crawl', payload }) as JobRequest);
    const jobs = await enqueueJobs(pool, requests);
    await new Notifier(pool).notify('work');
    const log = await logOfAllPhases(origin);
    const course = courseOf(log, phases, spanSeconds);
    console.log(
      `  ${way.name}, every ${spanSeconds} s: served ${course.map(({ served }) => served).join(' ')}`,
    );
    console.log(
      `  ${' '.repeat(way.name.length)}           refused ${course.map(({ refused }) => refused).join(' ')}`,
    );
    const { rows } = await pool.query<{ pages: number }>(
      `SELECT (SELECT count(*)::int FROM crawl_pages WHERE job_id = id AND outcome = 'fetched') AS pages
       FROM crawl_jobs ORDER BY id`,
    );
    for (const { job } of jobs) {
      const { status, error_message } = await showJob(pool, job.id);
      if (status !== 'processing') console.log(`  a crawl is ${status}: ${error_message}`);
      else await actOnJob(pool, 'cancel', job.id);
    }
    return { way, pages: rows.map(({ pages }) => pages), ...judgeOverload(log, phases) };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await database.close();
    await origin.stop();
  }
}

/** Resolves when the phases are over: the origin's clock began with the first request that reached it. */
async function logOfAllPhases(origin: { log(): Promise<readonly OriginAnswer[]> }) {
  while ((await origin.log()).length === 0) await delay(20);
  await delay(phases.reduce((sum, { seconds }) => sum + seconds, 0) * 1000);
  return await origin.log();
}

const percent = (share: number) => `${round(share * 100, 1)} %`;

function report(runs: readonly Run[]): Outcome {
  const table = printTable(
    [
      '',
      'used',
      ...phases.map(({ capacity }) => `of ${capacity}/s`),
      'refused',
      'recovered after',
      'pages per crawl',
    ],
    runs.map(({ way, used, usedByPhase, refused, backSeconds, pages }) => [
      way.name,
      percent(used),
      ...usedByPhase.map(percent),
      percent(refused),
      backSeconds === undefined ? 'never' : `${backSeconds} s`,
      pages.map(thousands).join(' + '),
    ]),
  );
  const worst = {
    used: round(Math.min(...runs.map(({ used }) => used)), 3),
    refused: round(Math.max(...runs.map(({ refused }) => refused)), 3),
    back_seconds: Math.max(...runs.map(({ backSeconds = Number.POSITIVE_INFINITY }) => backSeconds)),
  };
  const holds = (bar: typeof floor) =>
    worst.used >= bar.used && worst.refused <= bar.refused && worst.back_seconds <= bar.back_seconds;
  const partial = runs.length < ways.length;
  return {
    table,
    partial,
    pass: holds(floor) && !partial,
    figures: {
      ways: runs.map(({ way, used, usedByPhase, refused, backSeconds = null, pages }) => ({
        way: way.name,
        used: round(used, 3),
        used_by_phase: usedByPhase.map((share) => round(share, 3)),
        refused: round(refused, 3),
        back_seconds: backSeconds,
        pages,
      })),
      worst: { ...worst, back_seconds: Number.isFinite(worst.back_seconds) ? worst.back_seconds : null },
      floor,
      goal,
      goal_reached: holds(goal) && !partial,
    },
  };
}
