import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findViolations } from '../../../packages/server/src/ops/doctor/check-invariants.ts';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import { type Fault, type Figures, judgesTimes, scaled } from '../fault.ts';
import { browserFolderOf, browserHostOf, browsersIn } from '../processes/browser-processes.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { childrenOf, signal } from '../processes/process-table.ts';
import type { Stage } from '../stage/stage.ts';
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
const html = { 'content-type': 'text/html; charset=utf-8' };
const statusNames = ['completed', 'failed', 'cancelled'];

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
        const folders = new Set<string>();
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
          if (!strikeAt(what, worker, folders)) {
            // It was just being replaced.
            strike--;
            continue;
          }
          counts[what] = (counts[what] ?? 0) + 1;
          if (what === 'supervisor SIGKILL' || what === 'machine SIGKILL') {
            const gone = await untilGone(folders);
            slowest = Math.max(slowest, gone.ms);
            left += gone.left;
            stage.startWorker();
          }
          if (strike % 5 === 4) run.say(`${strike + 1} of ${total} strikes, ${site.crawls.length} crawls`);
        }
        site.isEnding = true;
        await until('the end of the crawls', () => site.isOver(stage), { seconds: 300, everyMs: 200 });
        // It takes the processors for a while.
        const memory = judgesTimes(run) ? await site.poisonedCrawl(stage) : {};
        await Promise.all(stage.workers.map((worker) => worker.end('SIGKILL')));
        const gone = await untilGone(folders);
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
function strikeAt(what: Strike, worker: HoldfastProcess, folders: Set<string>): boolean {
  const [who, name] = what.split(' ') as [string, NodeJS.Signals];
  const host = browserHostOf(worker.pid);
  const folder = host && browserFolderOf(host);
  if (!folder) return false;
  folders.add(folder);
  const runner = childrenOf(worker.pid).find((pid) => pid === runnerOf(worker));
  const all: Record<string, (number | undefined)[]> = {
    host: [host],
    runner: [runner],
    supervisor: [worker.pid],
    machine: [worker.pid, host, runner],
  };
  const ofBrowser = browsersIn(folder).filter(({ part }) => part === who);
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
async function untilGone(folders: ReadonlySet<string>): Promise<{ ms: number; left: number }> {
  const began = performance.now();
  const living = () => [...folders].flatMap(browsersIn).length;
  while (living() > 0 && performance.now() - began < orphanMs) await delay(20);
  return { ms: Math.round(performance.now() - began), left: living() };
}

/** Pages that are empty until a script has asked for their data, and one that takes all the memory of its browser. */
class RenderedSite {
  readonly crawls: string[] = [];
  isEnding = false;
  readonly #pages: number;

  constructor(pages: number) {
    this.#pages = pages;
  }

  async crawl(stage: Stage, path?: string): Promise<string> {
    const prefix = path ?? `/r${this.crawls.length}/`;
    const { job } = await enqueueJob(stage.pool, {
      kind: 'crawl',
      max_retries: 100,
      payload: {
        url: `${stage.origins[0]?.url}${prefix}`,
        path_prefix: prefix,
        discover: false,
        render: 'always',
        concurrency: 4,
        page_timeout_seconds: 20,
      },
    });
    if (!path) this.crawls.push(job.id);
    await new Notifier(stage.pool).notify('work');
    return job.id;
  }

  /** Waits until so many more pages are stored; the next crawl begins when the last one is over. */
  async more(stage: Stage, pages: number): Promise<void> {
    const before = await this.#stored(stage);
    await until(
      'more pages',
      async () => {
        if (await this.isOver(stage)) await this.crawl(stage);
        return (await this.#stored(stage)) >= before + pages && this.#browsers(stage) > 0;
      },
      { seconds: 180, everyMs: 20 },
    );
  }

  async #stored({ pool }: Stage): Promise<number> {
    const { rows } = await pool.query<{ stored: number }>('SELECT count(*)::int AS stored FROM crawl_pages');
    return rows[0]?.stored ?? 0;
  }

  #browsers({ workers }: Stage): number {
    const host = browserHostOf(workers.at(-1)?.pid ?? 0);
    const folder = host && browserFolderOf(host);
    return folder ? browsersIn(folder).length : 0;
  }

  async isOver(stage: Stage): Promise<boolean> {
    const { status } = await showJob(stage.pool, this.crawls.at(-1) ?? '');
    return statusNames.includes(status);
  }

  answer(path: string, _: IncomingMessage, response: ServerResponse): boolean {
    const [, prefix, number] = /^(\/r\d+\/|\/poison\/)(\d*)$/.exec(path) ?? [];
    const data = /^\/data(\/\w+\/)(\d*)$/.exec(path);
    if (data) {
      const [, of, n = ''] = data;
      const links = [2 * Number(n) + 1, 2 * Number(n) + 2].filter((link) => link < this.#pages);
      const text = `Words of page ${n || 0} for whoever reads it. `.repeat(8);
      setTimeout(
        () =>
          response.end(
            JSON.stringify({ title: `Page ${n || 0}`, text, links: links.map((link) => `${of}${link}`) }),
          ),
        20,
      );
      return true;
    }
    if (prefix === undefined) return false;
    const greedy = `const all = []; for (;;) all.push(new Array(1e6).fill({ a: Math.random() }));`;
    const fill = `fetch('/data' + location.pathname).then((answer) => answer.json()).then(({ title, text, links }) => {
      document.title = title;
      document.body.innerHTML = '<main><h1>' + title + '</h1><p>' + text + '</p></main>'
        + links.map((link) => '<a href="' + link + '">on</a>').join(' '); });`;
    const script = prefix === '/poison/' && number === '1' ? greedy : fill;
    response
      .writeHead(200, html)
      .end(`<!doctype html><title>Shell</title><body><div id="root"></div><script>${script}</script>`);
    return true;
  }

  /** One page takes all the memory that it gets: it fails, and the others are fetched. */
  async poisonedCrawl(stage: Stage): Promise<Figures> {
    const id = await this.crawl(stage, '/poison/');
    await until(
      'the end of the poisoned crawl',
      async () => statusNames.includes((await showJob(stage.pool, id)).status),
      {
        seconds: 300,
        everyMs: 200,
      },
    );
    const { rows } = await stage.pool.query<{ failed: string[]; fetched: number }>(
      `SELECT array_agg(url) FILTER (WHERE outcome = 'failed') AS failed, count(*) FILTER (WHERE outcome = 'fetched')::int AS fetched
       FROM crawl_pages WHERE job_id = $1`,
      [id],
    );
    const failed = (rows[0]?.failed ?? []).map((url) => new URL(url).pathname);
    const reached = Array.from({ length: this.#pages }, (_, n) => n).filter((n) => !isUnder(n, 1));
    if (failed.join() !== '/poison/1')
      stage.run.blame(`of the poisoned crawl failed: ${failed.join(', ') || 'nothing'}`);
    if (rows[0]?.fetched !== reached.length)
      stage.run.blame(`of the poisoned crawl ${rows[0]?.fetched} pages were fetched, not ${reached.length}`);
    return { poisoned_pages_failed: failed.length };
  }

  /** Every page is there, as its script made it, and none is there twice. */
  async judge({ pool, run }: Stage): Promise<Figures> {
    const total = { crawls: this.crawls.length, pages: 0, lost: 0, duplicates: 0 };
    for (const id of this.crawls) {
      const { status } = await showJob(pool, id);
      if (status !== 'completed') run.blame(`job ${id} is ${status}`);
      const { rows } = await pool.query<{
        title: string | null;
        outcome: string;
        reason: string | null;
        url: string;
      }>('SELECT title, outcome, reason, url FROM crawl_pages WHERE job_id = $1', [id]);
      const titles = rows.filter(({ outcome }) => outcome === 'fetched').map(({ title }) => title);
      const lost = Array.from({ length: this.#pages }, (_, n) => `Page ${n}`).filter(
        (title) => !titles.includes(title),
      );
      total.pages += titles.length;
      total.lost += lost.length;
      total.duplicates += titles.length - new Set(titles).size;
      if (lost.length > 0) run.blame(`job ${id} has lost ${lost.slice(0, 5).join(', ')}`);
      for (const { outcome, reason, url } of rows)
        if (outcome !== 'fetched') run.blame(`${url} of job ${id} is ${outcome}: ${reason}`);
    }
    if (total.duplicates > 0) run.blame(`${total.duplicates} pages are stored twice`);
    const { leaseSeconds, sweepSeconds } = run.timings;
    for (const violation of await findViolations(pool, this.crawls, leaseSeconds + sweepSeconds))
      run.blame(`invariant ${violation.invariant.number}, job ${violation.job_id}: ${violation.found}`);
    return total;
  }
}

/** Whether a page of the binary tree is that one, or is found by way of it alone. */
function isUnder(page: number, root: number): boolean {
  let above = page;
  while (above > root) above = Math.floor((above - 1) / 2);
  return above === root;
}
