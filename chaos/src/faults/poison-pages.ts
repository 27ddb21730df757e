import type { ServerResponse } from 'node:http';
import { enqueueJob } from '../../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../../packages/server/src/queue/jobs/notifications.ts';
import { type Fault, scaled } from '../fault.ts';
import { pathOf } from '../stage/crawl.ts';
import { withStage } from '../stage/with-stage.ts';
import { until } from '../until.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };

/** Each path with what it does to whoever asks for it, and what must become of it. */
const poisons: Record<
  string,
  { readonly answer: (response: ServerResponse) => void; readonly outcome: RegExp }
> = {
  // Every link is another one: what is found and not yet durable would grow without end.
  '/poison/memory': {
    answer: (response) =>
      response
        .writeHead(200, html)
        .end(Array.from({ length: 150_000 }, (_, n) => `<a href="/void/${n}/${'x'.repeat(40)}">`).join('')),
    outcome: /^(fetched|failed: \w+)$/,
  },
  '/poison/large': {
    answer: (response) => flood(response, 200_000_000),
    outcome: /^failed: \w*(too_large|body)\w*$/,
  },
  '/poison/nul': {
    answer: (response) =>
      response
        .writeHead(200, html)
        .end('<title>a\0b</title><p>words \0 and more \0 words</p><a href="/page/1\0">x</a>'),
    outcome: /^fetched$/,
  },
  '/poison/endless': {
    answer: (response) => flood(response, Number.POSITIVE_INFINITY),
    outcome: /^failed: \w*(too_large|body)\w*$/,
  },
  '/poison/trickle': { answer: (response) => trickle(response), outcome: /^failed: fetch_timed_out$/ },
  '/poison/nested': {
    answer: (response) => response.writeHead(200, html).end('<div>'.repeat(400_000)),
    outcome: /^(fetched|failed: \w+)$/,
  },
};

export const poisonPages: Fault = {
  id: 'F12',
  title: 'pages that are poison: memory, 200 MB, NUL, bodies and redirects without end',
  run: (run) =>
    withStage(run, { workers: 1, jobsPerWorker: 1, origins: 1 }, async (stage) => {
      const [origin] = stage.origins;
      if (!origin) throw new Error('the stage has no origin');
      const neighbours = scaled(run, 200, 40);
      origin.special = (path, _request, response) => {
        const poison = poisons[path];
        const turn = /^\/poison\/turn\/(\d+)$/.exec(path)?.[1];
        if (poison) poison.answer(response);
        else if (turn) response.writeHead(302, { location: `/poison/turn/${Number(turn) + 1}` }).end();
        else if (path === '/') response.writeHead(200, html).end(index(neighbours));
        else if (path.startsWith('/page/'))
          setTimeout(() => response.writeHead(200, html).end('<main><p>Words.</p></main>'), 20);
        else return false;
        return true;
      };
      const { job } = await enqueueJob(stage.pool, {
        kind: 'crawl',
        max_retries: 3,
        payload: {
          url: `${origin.url}/`,
          discover: false,
          attempts: 1,
          concurrency: 8,
          exclude: ['*/void/*'],
          page_timeout_seconds: 10,
        },
      });
      await new Notifier(stage.pool).notify('work');
      await until(
        'the end of the crawl',
        async () => ['completed', 'failed'].includes((await showJob(stage.pool, job.id)).status),
        {
          seconds: 180,
          everyMs: 100,
        },
      );
      const { status } = await showJob(stage.pool, job.id);
      if (status !== 'completed') run.blame(`the crawl is ${status}`);
      const { rows } = await stage.pool.query<{ url: string; outcome: string; reason: string | null }>(
        'SELECT url, outcome, reason FROM crawl_pages WHERE job_id = $1',
        [job.id],
      );
      const outcomes = new Map(
        rows.map((row) => [pathOf(row.url), row.reason ? `${row.outcome}: ${row.reason}` : row.outcome]),
      );
      const figures: Record<string, string | number> = {};
      for (const [path, { outcome }] of Object.entries(poisons)) {
        const found = outcomes.get(path) ?? 'nowhere';
        figures[path.slice('/poison/'.length)] = found;
        if (!outcome.test(found)) run.blame(`${path} is ${found}`);
      }
      const turns = [...outcomes].filter(([path]) => path.startsWith('/poison/turn/'));
      figures.turns = turns.length;
      if (
        turns.at(-1)?.[1] === undefined ||
        !turns.some(([, outcome]) => outcome === 'failed: too_many_redirects')
      )
        run.blame('redirects without end did not end in too_many_redirects');
      const well = [...outcomes].filter(
        ([path, outcome]) => path.startsWith('/page/') && outcome === 'fetched',
      ).length;
      if (well < neighbours) run.blame(`${neighbours - well} neighbours suffered`);
      return { ...figures, neighbours_fetched: well, neighbours };
    }),
};

function index(neighbours: number): string {
  const pages = Array.from({ length: neighbours }, (_, n) => `/page/${n}`);
  const all = [...Object.keys(poisons), '/poison/turn/1', ...pages];
  return all.map((path) => `<a href="${path}">${path}</a>`).join('\n');
}

function flood(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(64 * 1024, '<p>words </p>');
  let sent = 0;
  response.writeHead(200, html);
  const pour = () => {
    while (sent < bytes && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) {
        response.once('drain', pour);
        return;
      }
    }
    if (!response.destroyed) response.end();
  };
  pour();
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, html);
  const timer = setInterval(() => response.write('.'), 1_000);
  response.once('close', () => clearInterval(timer));
}
