import type { IncomingMessage, ServerResponse } from 'node:http';
import { findViolations } from '../../../packages/server/src/ops/doctor/check-invariants.ts';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import type { Figures } from '../fault.ts';
import { browserHostOf, browsersOf } from '../processes/browser-processes.ts';
import type { Stage } from '../stage/stage.ts';
import { until } from '../until.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };
const statusNames = ['completed', 'failed', 'cancelled'];

/** Pages that are empty until a script has asked for their data, and one that takes all the memory of its browser. */
export class RenderedSite {
  readonly crawls: string[] = [];
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
    return host === undefined ? 0 : browsersOf(host).length;
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
