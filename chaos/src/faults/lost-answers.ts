import { type Fault, scaled } from '../fault.ts';
import { badEnds, countEvents } from '../stage/database-time.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';
import { moments } from '../wire/wire.ts';

export const lostAnswers: Fault = {
  id: 'F15',
  title: 'the connection is cut after a checkpoint was committed, or on its way there; nobody is killed',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 2, wired: true }, async (stage) => {
      const { wire } = stage;
      if (!wire) throw new Error('the stage has no wire');
      const cuts = scaled(run, 50, 5);
      const counts: Record<string, number> = {};
      await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
      for (let cut = 0; cut < cuts; cut++) {
        // Three of four after the commit: that is the one that a careless repetition would store twice.
        const moment = cut % 4 < 3 ? 'committed' : run.random.pick(moments);
        let skip = run.random.between(1, 8);
        let isCut = false;
        wire.onCheckpoint = () => {
          if (skip-- > 0) return undefined;
          wire.onCheckpoint = undefined;
          return { moment, act: () => (isCut = true) };
        };
        await until('a checkpoint to cut off', () => isCut, { everyMs: 1 });
        counts[moment] = (counts[moment] ?? 0) + 1;
      }
      await stage.crawls.finish();
      const figures = await judgeCrawls(stage);
      const deaths = await countEvents(stage.pool, 'crash', 'recover');
      if (deaths > 0)
        run.blame(
          `${deaths} runs ended because a connection was cut: ${(await badEnds(stage.pool)).join('; ')}`,
        );
      if (figures.refetched !== 0) run.blame(`${figures.refetched} pages were fetched again`);
      return { cuts, ...counts, ...figures, runs_lost: deaths };
    }),
};
