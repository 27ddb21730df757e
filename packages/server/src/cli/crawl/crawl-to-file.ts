import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { chooseOutput } from '../../pages/export/choose-output.ts';
import { PageExporter } from '../../pages/export/page-exporter.ts';
import type { PageOutput } from '../../pages/export/page-output.ts';
import { countReasons } from '../../pages/stored/list-errors.ts';
import { nameWorker } from '../../queue/workers/worker-list.ts';
import { recoverDeadWorkers } from '../../worker/supervisor/dead-workers.ts';
import { countOf, formatAgo } from '../format-values.ts';
import { nextSignal } from '../stop-signal.ts';
import { printable } from '../terminal-text.ts';
import type { Session } from '../with-database.ts';
import type { CrawlDisplay } from './crawl-display.ts';
import type { CrawlRequest } from './crawl-request.ts';
import { type CrawlView, readCrawlView } from './crawl-view.ts';
import { type CrawlStart, findOrCreateCrawl } from './find-or-create-crawl.ts';
import { outcomeRows } from './outcome-table.ts';
import type { CrawlSummary } from './print-summary.ts';
import { findRefusedOrigin } from './private-origins.ts';
import { type OneShotEnd, runOneShot } from './run-one-shot.ts';
import { assertCanRender, findUnrendered } from './without-browser.ts';

export interface CrawlToFileOptions {
  readonly display: CrawlDisplay;
  readonly recrawl: boolean;
  readonly overwrite: boolean;
}

/** Runs the crawl of one command, from finding its job to its end. */
export async function crawlToFile(
  session: Session,
  request: CrawlRequest,
  { display, recrawl, overwrite }: CrawlToFileOptions,
): Promise<CrawlSummary> {
  const { pool } = session.database;
  const { allowPrivate } = session.configuration;
  const started = performance.now();
  assertCanRender(request.options, session);
  const output = await chooseOutput({ ...request.output, seedHost: request.seedHost, overwrite });
  const workerId = nameWorker();
  // First: a job that a killed command left behind becomes ready again.
  await recoverDeadWorkers(pool, session.log, workerId);
  const taken = await findOrCreateCrawl(pool, request, {
    recrawl,
    actor: session.actor,
    allowPrivate,
    store: new SecretStore(new SecretKeys(session.configuration)),
  });
  const { job, how } = taken;
  await output.open({ db: pool, jobId: job.id, anew: how === 'finished' });
  const exporter = new PageExporter(pool, job.id, output);
  const before = await readCrawlView(pool, job.id);
  display.notice(opening(taken, before, request, output, display));
  let end: OneShotEnd = { view: before, signal: undefined };
  try {
    if (how !== 'finished') {
      const { runners } = request;
      end = await runOneShot({ session, workerId, job, runners, exporter, display, interrupted: nextSignal });
    }
    await exporter.finish(end.view.status === 'completed');
  } finally {
    display.end();
  }
  const { view, signal } = end;
  const processed = Math.max(view.total_processed - before.total_processed, 0);
  const seconds = (performance.now() - started) / 1000;
  const rows = outcomeRows(view, await countReasons(pool, job.id));
  const refused = view.error_code === 'address_forbidden' ? await findRefusedOrigin(pool, job.id) : undefined;
  const unrendered = await findUnrendered(pool, job.id, session);
  return { view, signal, rows, refused, unrendered, output, thisRun: { processed, seconds } };
}

function opening(
  { how }: CrawlStart,
  view: CrawlView,
  { payload }: CrawlRequest,
  output: PageOutput,
  { paint }: CrawlDisplay,
): string {
  const url = paint('bold', printable(payload.url));
  const into = paint('dim', `into ${output.name} · job ${view.id}`);
  if (how === 'finished') {
    const when = view.completed_at ? `, ${formatAgo(view.completed_at)}` : '';
    return `${url} has already been crawled: ${countOf(view.fetched, 'page')}${when}.\n${paint('dim', `Writing ${output.name} from the stored pages; --recrawl crawls it again.`)}`;
  }
  if (how === 'new') return `Crawling ${url}\n${into}`;
  const are = (count: number) => (count === 1 ? 'is' : 'are');
  const { fetched, total_pending } = view;
  const state = `${countOf(fetched, 'page')} ${are(fetched)} done, ${countOf(total_pending, 'URL')} ${are(total_pending)} left.`;
  return view.total_pending > 0 ? `Continuing ${url}: ${state}\n${into}` : `Continuing ${url}\n${into}`;
}
