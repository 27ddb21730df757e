import { setTimeout as delay } from 'node:timers/promises';
import type { CrawlOptions, JobRequest } from '../../../packages/contract/src/index.ts';
import { type Database, openDatabase } from '../../../packages/server/src/base/database/open-database.ts';
import { configureSource } from '../../../packages/server/src/governor/sources/configure-source.ts';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import { cpuSeconds, parentOf, treeCpuSeconds } from '../process-cpu.ts';
import { quietLog } from '../quiet-log.ts';
import type { CrawlTask } from './crawler.ts';
import { HoldfastWorker } from './holdfast-worker.ts';

export interface HoldfastCrawl {
  /** From the moment it was enqueued to the moment its completion was committed, by the database's clock. */
  readonly ms: number;
  readonly jobId: string;
  readonly peakMb: number;
  readonly cpuSeconds: CrawlCpu;
  readonly database: Database;
}

export interface CrawlCpu {
  readonly runner: number;
  readonly supervisor: number;
  readonly postgres: number;
}

/** How long a worker gets to come to rest after its start: its spare runner is there then, as on any day. */
const settleMs = 1_500;
const lookMs = 20;

/** A crawl as a user has it: enqueued, claimed by a worker, run by its runner, stored in PostgreSQL. `inspect` looks at it. */
export async function crawlDurably<Result>(
  databaseUrl: string,
  { origin, concurrency }: CrawlTask,
  options: Partial<CrawlOptions>,
  inspect: (crawl: HoldfastCrawl) => Promise<Result>,
): Promise<Result> {
  const settings = { databaseUrl, dataFolder: '', databasePort: 0 };
  const database = await openDatabase(settings, quietLog, { name: 'bench' });
  const { pool } = database;
  const postmaster = await postmasterOf(database);
  const worker = await HoldfastWorker.start(databaseUrl, [origin]);
  try {
    // As an operator opens a site of his own; unknown hosts get 8 requests at a time.
    await configureSource(pool, 'bench', { hosts: [new URL(origin).host], concurrency });
    await delay(settleMs);
    const payload = { url: `${origin}/`, concurrency, ...options };
    const { job } = await enqueueJob(pool, { kind: 'crawl', payload } as JobRequest);
    await new Notifier(pool).notify('work');
    let peakMb = 0;
    let runnerCpu = 0;
    const before = { postgres: treeCpuSeconds(postmaster), worker: treeCpuSeconds(worker.pid) };
    for (;;) {
      const { status, error_message, created_at, completed_at } = await showJob(pool, job.id);
      if (completed_at) {
        if (status !== 'completed') throw new Error(`the crawl is ${status}: ${error_message}`);
        const ms = Number(completed_at) - Number(created_at);
        const cpu = {
          runner: runnerCpu,
          supervisor: treeCpuSeconds(worker.pid) - before.worker - runnerCpu,
          postgres: treeCpuSeconds(postmaster) - before.postgres,
        };
        return await inspect({ ms, jobId: job.id, peakMb, cpuSeconds: cpu, database });
      }
      peakMb = worker.runnerPeakMb ?? peakMb;
      runnerCpu = cpuSeconds(worker.runnerPid) ?? runnerCpu;
      await delay(lookMs);
    }
  } finally {
    await worker.stop();
    await database.close();
  }
}

export async function postmasterOf({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  if (postmaster === undefined) throw new Error('the server is not on this machine');
  return postmaster;
}
