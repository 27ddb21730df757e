import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, makeWorkerUtils, run, type WorkerEvents, type WorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { batches, type Contender, payload, type Setting } from './contender.ts';

/** As its documentation (performance.md) and its own performance test tune it. */
export const settings: readonly Setting[] = [{ concurrent: 24 }];

const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});

/** A local queue of 500, completions in batches as soon as they come. */
const tuned = {
  localQueue: { size: 500, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export async function open(url: string, { concurrent = 24 }: Setting): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on('error', console.error);
  pool.on('connect', (client) => client.on('error', console.error));
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  let ran = 0;
  return {
    fill: (jobs) => fill(utils, jobs),
    drain: async (jobs) => {
      const goal = ran + jobs;
      const all = Promise.withResolvers<void>();
      const events: WorkerEvents = new EventEmitter();
      // From its first claim, so that its start (a check of migrations) is not counted.
      const started = new Promise<number>((resolve) =>
        events.once('worker:getJob:start', () => resolve(performance.now())),
      );
      const noop = async () => {
        ran += 1;
        if (ran === goal) all.resolve();
      };
      const runner = await run({
        pgPool: pool,
        logger,
        events,
        noHandleSignals: true,
        taskList: { noop },
        preset: { worker: { ...tuned, concurrentJobs: concurrent } },
      });
      await all.promise;
      while ((await left(pool)) > 0) await delay(1);
      const ms = performance.now() - (await started);
      await runner.stop();
      return ms;
    },
    verify: async (jobs) => {
      const remaining = await left(pool);
      if (ran !== jobs || remaining > 0)
        throw new Error(`graphile-worker: of ${jobs} jobs ${ran} ran, ${remaining} are left`);
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}

async function fill(utils: WorkerUtils, jobs: number): Promise<void> {
  for (const numbers of batches(jobs, 1000)) {
    await utils.addJobs(numbers.map((number) => ({ identifier: 'noop', payload: payload(number) })));
  }
}

/** It deletes what it completes. */
async function left(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    'SELECT count(*)::int AS left FROM (SELECT FROM graphile_worker._private_jobs LIMIT 1) any_job',
  );
  return rows[0].left;
}
