import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, judgesTimes, scaled } from '../fault.ts';
import { browserHostOf, browsersOf } from '../processes/browser-processes.ts';
import { childrenOf } from '../processes/process-table.ts';
import { RenderedSite } from '../site/rendered-site.ts';
import { judgeGrowth, type Point } from '../soak/growth.ts';
import { memoryOf, shareOfMemory } from '../soak/memory-of.ts';
import { withStage } from '../stage/with-stage.ts';

const lookMs = 1_000;
/** Its browsers are not replaced meanwhile: that would hide what they do not give back. */
const env = {
  HOLDFAST_BROWSERS: '1',
  HOLDFAST_BROWSER_RECYCLE_PAGES: '100000',
  HOLDFAST_BROWSER_MEMORY_MB: '4000',
};
const bound = { percent: 10, least: 30 };

export const renderedMemory: Fault = {
  id: 'F18b',
  title:
    'the memory of host, runner and browser while 500 pages are rendered, without a browser being replaced',
  run: (run) =>
    withStage(run, { workers: 1, jobsPerWorker: 1, origins: 1, env }, async (stage) => {
      const pages = scaled(run, 500, 30);
      const site = new RenderedSite(pages);
      const [origin] = stage.origins;
      const worker = stage.workers[0];
      if (!origin || !worker) throw new Error('the stage has no origin and no worker');
      origin.special = (path, request, response) => site.answer(path, request, response);
      const series: Record<string, Point[]> = { host: [], browser: [], workers: [] };
      const browsers = new Set<number>();
      const began = performance.now();
      await site.crawl(stage);
      while (!(await site.isOver(stage))) {
        const host = browserHostOf(worker.pid);
        if (host !== undefined) {
          const parts = browsersOf(host);
          for (const { group } of parts) browsers.add(group);
          const others = [worker.pid, ...childrenOf(worker.pid).filter((pid) => pid !== host)];
          const at = (performance.now() - began) / 60_000;
          const note = (name: string, value: number) => series[name]?.push({ at, value });
          note('host', memoryOf(host));
          note(
            'browser',
            parts.reduce((sum, { pid }) => sum + shareOfMemory(pid), 0),
          );
          note(
            'workers',
            others.reduce((sum, pid) => sum + memoryOf(pid), 0),
          );
        }
        await delay(lookMs);
      }
      const to = (performance.now() - began) / 60_000;
      const figures: Record<string, number> = {};
      for (const [name, points] of Object.entries(series)) {
        const { usual, added, grows, isUnknown } = judgeGrowth(points, bound, { from: 0, to });
        figures[`${name}_mb`] = Math.round(usual);
        figures[`${name}_mb_added`] = Math.round(added);
        figures[`${name}_mb_max`] = Math.round(Math.max(...points.map(({ value }) => value)));
        if (grows) run.blame(`the memory of ${name} grew by ${Math.round(added)} MB in the second half`);
        if (isUnknown && judgesTimes(run)) run.blame(`too little was seen of the memory of ${name}`);
      }
      if (browsers.size !== 1) run.blame(`${browsers.size} browsers were started, not one`);
      return { ...(await site.judge(stage)), ...figures, browsers: browsers.size };
    }),
};
