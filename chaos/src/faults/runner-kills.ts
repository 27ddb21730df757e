import { type Fault, judgesTimes, scaled } from '../fault.ts';
import { percentileMs } from '../percentile.ts';
import { signal } from '../processes/process-table.ts';
import { untilDead } from '../processes/until-dead.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

/** One death in so many takes the supervisor with it, as when a machine goes. */
const withSupervisorEvery = 10;

export const runnerKills: Fault = {
  id: 'F1',
  title: 'SIGKILL of runners at random',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 2 }, async (stage) => {
      const { random, timings } = run;
      const kills = scaled(run, 200, 10);
      const ledger = new Ledger(stage);
      await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
      let idle = 0;
      for (let kill = 1; kill <= kills; kill++) {
        const after = stage.requests + random.between(5, 40);
        const choice = random.next();
        const takesSupervisor = kill % withSupervisorEvery === 0;
        await until('more requests', () => stage.requests > after && stage.atWork().length > 0, {
          everyMs: 1,
        });
        const running = stage.running();
        const atWork = stage.atWork();
        const target = atWork[Math.floor(choice * atWork.length)];
        if (!target) continue;
        const crawls = stage.crawls.all.filter(({ id }) =>
          takesSupervisor
            ? running.some((one) => one.id === id && one.worker === target.worker)
            : id === target.id,
        );
        if (takesSupervisor) {
          target.worker.signal('SIGKILL');
          for (const one of running) if (one.worker === target.worker) signal(one.runner, 'SIGKILL');
        } else signal(target.runner, 'SIGKILL');
        for (const one of running) if (crawls.some(({ id }) => id === one.id)) await untilDead(one.runner);
        let inFlight = 0;
        for (const crawl of crawls) {
          const held = running.find(({ id }) => id === crawl.id);
          inFlight += (await ledger.note(crawl, takesSupervisor ? 'machine' : 'runner', held)).inFlight;
        }
        if (inFlight === 0) idle++;
        if (takesSupervisor) {
          await ledger.noteWorker(target.worker);
          stage.startWorker();
        }
        for (const violation of await stage.crawls.violations(crawls))
          run.blame(`after kill ${kill}: ${violation}`);
        if (kill % 20 === 0) run.say(`${kill} of ${kills} kills`);
      }
      await stage.crawls.finish();
      const figures = await judgeCrawls(stage);
      const worst = Math.max(...ledger.deaths.map(({ inFlight }) => inFlight));
      const inFlight = ledger.deaths.reduce((sum, death) => sum + death.inFlight, 0);
      if (Number(figures.refetched) > inFlight && figures.unplanned_deaths === 0)
        run.blame(`${figures.refetched} refetched, ${inFlight} in flight`);
      if (Number(figures.taken_for_poison) > kills / 20)
        run.blame(`${figures.taken_for_poison} innocent pages were taken for poison`);
      // On a busy machine the moment of a kill and what was under way then are further apart.
      if (idle > kills / (judgesTimes(run) ? 10 : 2))
        run.blame(`${idle} of ${kills} kills hit nothing at work`);
      const { runner: recoveries, machine: restarts } = await ledger.recoveries();
      const slowest = Math.max(...recoveries, ...restarts);
      if (judgesTimes(run) && slowest > (timings.leaseSeconds + timings.sweepSeconds) * 1000)
        run.blame(`recovery took ${slowest} ms`);
      if (judgesTimes(run) && percentileMs(recoveries, 0.95) > 1_000)
        run.blame(`recovery took ${percentileMs(recoveries, 0.95)} ms at p95`);
      return {
        kills,
        active_kills: kills - idle,
        ...figures,
        in_flight: inFlight,
        in_flight_worst: worst,
        recovery_ms_p50: percentileMs(recoveries, 0.5),
        recovery_ms_p95: percentileMs(recoveries, 0.95),
        recovery_ms_max: percentileMs(recoveries, 1),
        restart_ms_max: percentileMs(restarts, 1),
      };
    }),
};
