import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosRun, Figures } from '../fault.ts';
import { ApiProcess } from '../processes/api-process.ts';
import { judgeLimits } from '../stage/judge-crawls.ts';
import { Ledger } from '../stage/ledger.ts';
import { withStage } from '../stage/with-stage.ts';
import { BotFleet } from './bot-fleet.ts';
import { Fate } from './fate.ts';
import { type Growth, judgeGrowth } from './growth.ts';
import { Keeper } from './keeper.ts';
import { befall, type Misfortune, planMisfortunes } from './misfortunes.ts';
import { RegularWork } from './regular-work.ts';
import { type Sample, Sampler } from './sampler.ts';
import { type Series, type SeriesName, series, seriesNames } from './series.ts';

export interface Soaked {
  readonly figures: Figures;
  readonly samples: readonly Sample[];
  readonly plan: readonly Misfortune[];
  readonly growth: Partial<Record<SeriesName, Growth>>;
}

const sampleSeconds = 5;
const keepSeconds = 15;
/** A shorter run is all warming up: its growth is told, not judged. */
export const judgedFromMinutes = 10;

/** Crawls, policies, visits, bots and prices for so long, while one thing after the other goes wrong. */
export async function soak(run: ChaosRun, minutes: number): Promise<Soaked> {
  const plan = planMisfortunes(run.seed, minutes * 60);
  let samples: readonly Sample[] = [];
  const figures = await withStage(
    run,
    {
      jobsPerWorker: 2,
      limitPerMinute: 1_500,
      env: { MAX_CONCURRENT_VISITS: '16', HOLDFAST_SCHEDULER_SECONDS: '1' },
    },
    async (stage) => {
      const api = await ApiProcess.start(stage, ['admin', 'bots']);
      const fate = await Fate.open(stage, { ledger: new Ledger(stage), api, others: 2 });
      const [work, bots, keeper] = [new RegularWork(stage), new BotFleet(run, api), new Keeper(stage)];
      const sampler = new Sampler(stage, { api, steady: fate.steady, ports: () => fate.ports });
      for (const origin of stage.origins) origin.extraDelayMs = 100;
      await work.start();
      bots.start(3);
      await stage.crawls.keep(4, { pages: 500 });
      sampler.start(sampleSeconds);
      keeper.start(keepSeconds);
      const speaking = tell(run, sampler, minutes);
      const began = performance.now();
      await befall(plan, fate.happen);
      await delay(Math.max(0, minutes * 60_000 - (performance.now() - began)));
      await sampler.stop();
      samples = sampler.samples;
      await speaking;
      await Promise.all([work.stop(), bots.stop()]);
      for (const { id } of stage.crawls.live) await fate.resume(id);
      await stage.crawls.finish(120);
      await keeper.stop();
      await keeper.look();
      return {
        minutes,
        ...keeper.totals,
        submitted: bots.submitted,
        forgotten: bots.forgotten,
        ...fate.counts,
        samples: samples.length,
        ...judgeLimits(stage),
      };
    },
  );
  const growth = grown(samples);
  if (minutes >= judgedFromMinutes)
    for (const [name, { grows, isUnknown, added, percent }] of Object.entries(growth)) {
      if (isUnknown) run.blame(`${name} was hardly measured in the second half`);
      if (grows)
        run.blame(`${name} grew by ${added.toFixed(1)} (${percent.toFixed(0)} %) in the second half`);
    }
  return { figures, samples, plan, growth };
}

async function tell(run: ChaosRun, sampler: Sampler, minutes: number): Promise<void> {
  for (let minute = 1; minute < minutes; minute++) {
    while (sampler.minutes < minute) await delay(500);
    const values = Object.entries(sampler.samples.at(-1)?.values ?? {});
    run.say(`minute ${minute}: ${values.map(([name, value]) => `${name} ${Math.round(value)}`).join(', ')}`);
  }
}

function grown(samples: readonly Sample[]): Partial<Record<SeriesName, Growth>> {
  const found: Partial<Record<SeriesName, Growth>> = {};
  const span = { from: samples[0]?.at ?? 0, to: samples.at(-1)?.at ?? 0 };
  for (const name of seriesNames) {
    const { bound, relativeTo }: Series = series[name];
    if (!bound) continue;
    const points = samples.flatMap(({ at, values }) => {
      const value = values[name];
      const unit = relativeTo ? values[relativeTo] : 1;
      return value === undefined || unit === undefined ? [] : [{ at, value: value / unit }];
    });
    found[name] = judgeGrowth(points, bound, span);
  }
  return found;
}
