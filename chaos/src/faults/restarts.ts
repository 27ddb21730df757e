import { setTimeout as delay } from 'node:timers/promises';
import { type ChaosRun, type Fault, type Figures, judgesTimes, scaled } from '../fault.ts';
import { badEnds } from '../stage/database-time.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import type { Stage } from '../stage/stage.ts';
import { Throughput } from '../stage/throughput.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

const withinSeconds = 30;

export const restarts: Fault = {
  id: 'F5',
  title: 'PostgreSQL restarted, fast and immediate',
  run: (run) =>
    steadily(run, async (_stage, throughput) => {
      const count = scaled(run, 10, 1);
      const backs: number[] = [];
      // So that no lease runs out of it.
      const awayMs = 200 * run.timings.leaseSeconds;
      for (let restart = 0; restart < count; restart++) {
        const before = judgesTimes(run) ? await throughput.measure() : 0;
        await run.server.stop(restart % 2 === 0 ? 'immediate' : 'fast');
        await delay(run.random.between(0, awayMs));
        await run.server.start();
        if (!judgesTimes(run)) continue;
        const since = performance.now();
        const back = await throughput.back(before, since, withinSeconds);
        if (back === undefined)
          run.blame(`restart ${restart + 1}: less than 80 % of ${before} requests within ${withinSeconds} s`);
        backs.push(back ?? withinSeconds);
        run.say(`${restart + 1} of ${count} restarts, back after ${back} s`);
      }
      return { restarts: count, ...(judgesTimes(run) && { back_seconds_max: Math.max(...backs) }) };
    }),
};

export const terminations: Fault = {
  id: 'F6',
  title: 'all backends terminated once a second for two minutes',
  run: (run) =>
    steadily(run, async (stage, throughput) => {
      const seconds = scaled(run, 120, 5);
      const before = await throughput.measure();
      let backends = 0;
      const began = performance.now();
      for (let second = 0; second < seconds; second++) {
        const { rowCount } = await stage.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name <> 'holdfast chaos' AND pid <> pg_backend_pid()`,
        );
        backends += rowCount ?? 0;
        await delay(1_000);
      }
      const since = performance.now();
      const during = stage.requestsBetween(began, since);
      const back = await throughput.back(before, since, withinSeconds);
      if (back === undefined && judgesTimes(run))
        run.blame(`less than 80 % of ${before} requests within ${withinSeconds} s`);
      const share = Math.round((100 * during) / ((before * (since - began)) / throughput.windowMs));
      return {
        seconds_of_terminations: seconds,
        backends,
        throughput_percent_during: share,
        back_seconds: back ?? 'not',
      };
    }),
};

/** Crawls that are long and even, so that a dip is the fault's and not theirs. */
export async function steadily(
  run: ChaosRun,
  play: (stage: Stage, throughput: Throughput) => Promise<Figures>,
  /** `endsRuns`: it lasts longer than a lease. */
  options: { wired?: boolean; endsRuns?: boolean } = {},
): Promise<Figures> {
  return await withStage(
    run,
    { workers: 2, jobsPerWorker: 2, wired: options.wired ?? false },
    async (stage) => {
      for (const origin of stage.origins) origin.extraDelayMs = 300;
      await stage.crawls.keep(4, { pages: scaled(run, 4_000, 200) });
      const throughput = new Throughput(stage, run.scale < 0.5 ? 2 : 10);
      // Warm: every runner has its full share by then.
      if (judgesTimes(run)) await throughput.measure();
      else await until('all at work', () => stage.atWork().length === 4 && stage.requests > 100);
      const figures = await play(stage, throughput);
      for (const origin of stage.origins) origin.extraDelayMs = 0;
      await stage.crawls.finish(180);
      const judged = await judgeCrawls(stage);
      if (judgesTimes(run) && !options.endsRuns && judged.unplanned_deaths !== 0)
        run.blame(
          `${judged.unplanned_deaths} runs ended, though nobody was killed: ${(await badEnds(stage.pool)).join('; ')}`,
        );
      return { ...figures, ...judged };
    },
  );
}
