import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, judgesTimes, scaled } from '../fault.ts';
import { browserHostOf, browsersIn, browsersOf } from '../processes/browser-processes.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { childrenOf, signal } from '../processes/process-table.ts';
import { RenderedSite } from '../site/rendered-site.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

/** What dies or stops, and how often. A stopped process is left to those who have to notice. */
const strikes = [
  ...['browser SIGKILL', 'browser SIGKILL', 'renderer SIGKILL', 'renderer SIGKILL', 'helper SIGKILL'],
  ...['browser SIGSTOP', 'renderer SIGSTOP', 'host SIGKILL', 'host SIGSTOP'],
  ...['runner SIGKILL', 'runner SIGSTOP', 'supervisor SIGKILL', 'machine SIGKILL'],
] as const;
type Strike = (typeof strikes)[number];

const orphanMs = 5_000;

export const renderedCrawls: Fault = {
  id: 'F18',
  title:
    'browser, renderer, host, runner and supervisor SIGKILLed, hung and out of memory in rendered crawls',
  run: (run) =>
    withStage(
      run,
      {
        workers: 1,
        jobsPerWorker: 1,
        origins: 1,
        env: { HOLDFAST_BROWSERS: '1', HOLDFAST_BROWSER_PAGES: '3', HOLDFAST_BROWSER_MEMORY_MB: '500' },
      },
      async (stage) => {
        const site = new RenderedSite(scaled(run, 120, 16));
        const [origin] = stage.origins;
        if (!origin) throw new Error('the stage has no origin');
        origin.special = (path, request, response) => site.answer(path, request, response);
        /** Of all browsers that there were. */
        const groups = new Set<number>();
        const counts: Record<string, number> = {};
        const total = scaled(run, 50, 5);
        let [left, slowest] = [0, 0];
        await site.crawl(stage);
        for (let strike = 0; strike < total; strike++) {
          const what = strikes[Math.floor(run.random.next() * strikes.length)] ?? 'browser SIGKILL';
          const worker = stage.workers.at(-1);
          if (!worker) throw new Error('the stage has no worker');
          await site.more(stage, run.random.between(1, 4));
          await delay(run.random.between(0, 200));
          if (!strikeAt(what, worker, groups)) {
            // It was just being replaced.
            strike--;
            continue;
          }
          counts[what] = (counts[what] ?? 0) + 1;
          if (what === 'supervisor SIGKILL' || what === 'machine SIGKILL') {
            const gone = await untilGone(groups);
            slowest = Math.max(slowest, gone.ms);
            left += gone.left;
            stage.startWorker();
          }
          if (strike % 5 === 4) run.say(`${strike + 1} of ${total} strikes, ${site.crawls.length} crawls`);
        }
        await until('the end of the crawls', () => site.isOver(stage), { seconds: 300, everyMs: 200 });
        // It takes the processors for a while.
        const memory = judgesTimes(run) ? await site.poisonedCrawl(stage) : {};
        const host = browserHostOf(stage.workers.at(-1)?.pid ?? 0);
        for (const { group } of host === undefined ? [] : browsersOf(host)) groups.add(group);
        await Promise.all(stage.workers.map((worker) => worker.end('SIGKILL')));
        const gone = await untilGone(groups);
        left += gone.left;
        if (left > 0)
          run.blame(`${left} processes of browsers were left ${orphanMs / 1000} s after the supervisor`);
        return {
          strikes: total,
          ...Object.fromEntries(
            Object.entries(counts).map(([name, count]) => [name.replace(' ', '_'), count]),
          ),
          ...(await site.judge(stage)),
          ...memory,
          browsers_left: left,
          browsers_gone_ms_max: Math.max(slowest, gone.ms),
        };
      },
    ),
};

/** False: there is nobody of the kind at the moment. */
function strikeAt(what: Strike, worker: HoldfastProcess, groups: Set<number>): boolean {
  const [who, name] = what.split(' ') as [string, NodeJS.Signals];
  const host = browserHostOf(worker.pid);
  if (host === undefined) return false;
  const browsers = browsersOf(host);
  for (const { group } of browsers) groups.add(group);
  const runner = childrenOf(worker.pid).find((pid) => pid === runnerOf(worker));
  const all: Record<string, (number | undefined)[]> = {
    host: [host],
    runner: [runner],
    supervisor: [worker.pid],
    machine: [worker.pid, host, runner],
  };
  const ofBrowser = browsers.filter(({ part }) => part === who);
  const chosen = all[who]?.filter((pid) => pid !== undefined) ?? ofBrowser.slice(0, 1).map(({ pid }) => pid);
  for (const pid of chosen) {
    if (pid === worker.pid) worker.signal(name);
    else signal(pid, name);
  }
  return chosen.length > 0;
}

function runnerOf(worker: HoldfastProcess): number | undefined {
  return worker.lines.findLast(({ msg }) => msg === 'Running job')?.runner;
}

/** How long the processes of these browsers lived on, and how many still do when their time is over. */
async function untilGone(groups: ReadonlySet<number>): Promise<{ ms: number; left: number }> {
  const began = performance.now();
  const living = () => browsersIn(groups).length;
  while (living() > 0 && performance.now() - began < orphanMs) await delay(20);
  return { ms: Math.round(performance.now() - began), left: living() };
}
