import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import { childrenOf, signal } from '../processes/process-table.ts';
import { countEvents, databaseTime } from '../stage/database-time.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

/** Loaded by a worker and its runners before anything else: their wall clock is off by so much. */
const wrongClock = `
const off = Number(process.env.CHAOS_CLOCK_OFF_MS);
const Real = Date;
globalThis.Date = class Date extends Real {
  constructor(...given) { if (given.length === 0) super(Real.now() + off); else super(...given); }
  static now() { return Real.now() + off; }
};`;
const offMs = 10 * 60_000;

export const clocks: Fault = {
  id: 'F9',
  title: 'workers whose clocks are ten minutes ahead and ten minutes behind',
  run: async (run) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
    const file = join(folder, 'wrong-clock.cjs');
    writeFileSync(file, wrongClock);
    try {
      return await withStage(run, { workers: 0, jobsPerWorker: 4, limitPerMinute: 1_200 }, async (stage) => {
        const { leaseSeconds, sweepSeconds } = run.timings;
        const env = (off: number) => ({ NODE_OPTIONS: `--require ${file}`, CHAOS_CLOCK_OFF_MS: String(off) });
        stage.startWorker(env(offMs));
        stage.startWorker(env(-offMs));
        await stage.ready();
        const ledger = new Ledger(stage);
        const rounds = scaled(run, 10, 2);
        const recoveries: number[] = [];
        for (const origin of stage.origins) origin.extraDelayMs = 60;
        await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
        for (let round = 0; round < rounds; round++) {
          const early = await countEvents(stage.pool, 'recover');
          if (early > recoveries.length) run.blame(`${early - recoveries.length} leases were ended early`);
          await until('work at a worker', () => stage.atWork().length > 0);
          const { worker } = run.random.pick(stage.atWork());
          const jobs = stage.running().filter((one) => one.worker === worker);
          const pids = [worker.pid, ...childrenOf(worker.pid)];
          const at = await databaseTime(stage.pool);
          for (const pid of pids) signal(pid, 'SIGSTOP');
          for (const { id } of jobs) {
            const crawl = stage.crawls.all.find((one) => one.id === id);
            if (crawl) await ledger.note(crawl);
          }
          for (const { id } of jobs) {
            await until('the end of a lease', async () => (await recoveredMs(id, at)) !== undefined, {
              seconds: 4 * leaseSeconds,
            });
            recoveries.push((await recoveredMs(id, at)) ?? 0);
          }
          worker.isExpected = true;
          for (const pid of pids) signal(pid, 'SIGKILL');
          stage.startWorker(env(round % 2 === 0 ? offMs : -offMs));
          await stage.ready();
          run.say(`${round + 1} of ${rounds} stops`);
        }
        for (const origin of stage.origins) origin.extraDelayMs = 0;
        await stage.crawls.finish();
        const [first, last] = [Math.min(...recoveries), Math.max(...recoveries)];
        // The lease was renewed at the last heartbeat or checkpoint before the stop.
        if (first < (leaseSeconds - run.timings.heartbeatSeconds - 1) * 1000)
          run.blame(`a lease was ended after ${first} ms`);
        if (last > (leaseSeconds + sweepSeconds + 1) * 1000)
          run.blame(`a lease was ended only after ${last} ms`);
        return {
          clock_off_minutes: '+10 and -10',
          stops: rounds,
          leases_ended: recoveries.length,
          ended_ms_min: Math.round(first),
          ended_ms_p50: percentileMs(recoveries, 0.5),
          ended_ms_max: Math.round(last),
          ...(await judgeCrawls(stage)),
        };

        async function recoveredMs(id: string, since: Date): Promise<number | undefined> {
          const { rows } = await stage.pool.query<{ ms: number }>(
            `SELECT extract(epoch FROM at - $2) * 1000 AS ms FROM job_events
             WHERE job_id = $1 AND transition = 'recover' AND at > $2 ORDER BY at LIMIT 1`,
            [id, since],
          );
          return rows[0] && Number(rows[0].ms);
        }
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
