import { type Fault, judgesTimes, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import { badEnds, countEvents } from '../stage/database-time.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

export const rollingRestart: Fault = {
  id: 'F14',
  title: 'SIGTERM of one worker after the other under load, each replaced before',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 4 }, async (stage) => {
      const restarts = scaled(run, 20, 3);
      // In the small cut it is slow: while workers start, which takes long on a busy machine, work should not run away.
      if (!judgesTimes(run)) for (const origin of stage.origins) origin.extraDelayMs = 400;
      await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
      const drains: number[] = [];
      for (let restart = 0; restart < restarts; restart++) {
        const after = stage.requests + run.random.between(20, 60);
        await until('more requests', () => stage.requests > after && stage.atWork().length > 0, {
          everyMs: 5,
        });
        const [oldest] = stage.workers.filter(({ hasExited }) => !hasExited);
        await stage.startWorker().says(/is ready/);
        const asked = performance.now();
        await oldest?.end('SIGTERM');
        drains.push(performance.now() - asked);
      }
      for (const origin of stage.origins) origin.extraDelayMs = 0;
      await stage.crawls.finish();
      const figures = await judgeCrawls(stage);
      const burned = await countEvents(stage.pool, 'crash', 'recover');
      if (burned > 0) run.blame(`${burned} retries were burned: ${(await badEnds(stage.pool)).join('; ')}`);
      if (figures.refetched !== 0) run.blame(`${figures.refetched} pages were fetched again`);
      const releases = await countEvents(stage.pool, 'release');
      return {
        restarts,
        handed_over: releases,
        retries_burned: burned,
        ...figures,
        drain_ms_max: percentileMs(drains, 1),
      };
    }),
};
