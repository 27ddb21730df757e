import { type Fault, scaled } from '../fault.ts';
import { ownerOfPort, signal } from '../processes/process-table.ts';
import { untilDead } from '../processes/until-dead.ts';
import type { Crawl } from '../stage/crawl.ts';
import { judgeCrawls } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';
import { moments } from '../wire/wire.ts';

export const checkpointKills: Fault = {
  id: 'F2',
  title: 'SIGKILL inside the checkpoint: before it is sent, torn, while it executes, after its commit',
  run: (run) =>
    withStage(run, { workers: 2, jobsPerWorker: 2, wired: true }, async (stage) => {
      const { random } = run;
      const { wire } = stage;
      if (!wire) throw new Error('the stage has no wire');
      const strikes = scaled(run, 50, 5);
      const ledger = new Ledger(stage);
      const counts: Record<string, number> = {};
      await stage.crawls.keep(4, { pages: scaled(run, 500, 150) });
      for (let strike = 0; strike < strikes; strike++) {
        const moment = moments[strike % moments.length] ?? 'unsent';
        let skip = random.between(1, 8);
        let struck: { readonly crawl: Crawl; readonly pid: number } | undefined;
        wire.onCheckpoint = (connection) => {
          if (skip-- > 0) return undefined;
          const pid = ownerOfPort(connection.clientPort, stage.pids());
          const job = stage.running().find(({ runner }) => runner === pid)?.id;
          const crawl = stage.crawls.all.find(({ id }) => id === job);
          if (pid === undefined || !crawl) return undefined;
          wire.onCheckpoint = undefined;
          return {
            moment,
            act: () => {
              signal(pid, 'SIGKILL');
              struck = { crawl, pid };
            },
          };
        };
        await until('a checkpoint to strike at', () => struck !== undefined, { everyMs: 1 });
        if (!struck) continue;
        const { crawl, pid } = struck;
        await untilDead(pid);
        await ledger.note(crawl);
        counts[moment] = (counts[moment] ?? 0) + 1;
        for (const violation of await stage.crawls.violations([crawl]))
          run.blame(`after a kill ${moment}: ${violation}`);
        if (strike % 10 === 9) run.say(`${strike + 1} of ${strikes} kills`);
      }
      await stage.crawls.finish();
      const worst = Math.max(...ledger.deaths.map(({ inFlight }) => inFlight));
      return { kills: strikes, ...counts, ...(await judgeCrawls(stage)), in_flight_worst: worst };
    }),
};
