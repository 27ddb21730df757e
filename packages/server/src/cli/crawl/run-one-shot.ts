import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError, type Job } from '@holdfast/contract';
import { browserHostProgramPath, runnerProgramPath } from '../../base/process/installation.ts';
import type { PageExporter } from '../../pages/export/page-exporter.ts';
import { awaitAcknowledgement } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { Supervisor } from '../../worker/supervisor/supervisor.ts';
import type { Session } from '../with-database.ts';
import type { CrawlDisplay } from './crawl-display.ts';
import { type CrawlView, readCrawlView } from './crawl-view.ts';
import { EventNotices } from './event-notices.ts';
import { assertMayFetch } from './private-origins.ts';

export interface OneShotOptions {
  readonly session: Session;
  readonly workerId: string;
  readonly job: Job;
  /** How many processes may work on it here. */
  readonly runners: number;
  readonly exporter: PageExporter;
  readonly display: CrawlDisplay;
  /** Resolves with the signal that asks the crawl to stop. A second one calls the callback. */
  readonly interrupted: (onSecond: () => void) => Promise<string>;
}

export interface OneShotEnd {
  readonly view: CrawlView;
  /** The signal that ended it; undefined if it ended by itself. */
  readonly signal: string | undefined;
}

const pollMs = 250;

/** Runs one job until it ends or is interrupted. If a worker already runs it, watches that run. */
export async function runOneShot(options: OneShotOptions): Promise<OneShotEnd> {
  const { session, workerId, job } = options;
  const { configuration, database, log } = session;
  const supervisor = new Supervisor({
    configuration: { ...configuration, maxConcurrentJobs: options.runners },
    database,
    log,
    workerId,
    runnerProgram: runnerProgramPath,
    browserHostProgram: browserHostProgramPath,
    onlyJob: job.id,
  });
  const stopping = new AbortController();
  let signal: string | undefined;
  void options
    .interrupted(() => supervisor.kill())
    .then((name) => {
      signal = name;
      stopping.abort();
    });
  await supervisor.start();
  try {
    await watch(options, stopping.signal);
    if (stopping.signal.aborted) await stop(options, supervisor);
  } catch (error) {
    // The output cannot be written, or an origin not fetched: pause the crawl until that is fixed.
    await stop(options, supervisor);
    const { status } = await readCrawlView(database.pool, job.id);
    throw error instanceof HoldfastError && status === 'paused' ? pausedBy(error) : error;
  } finally {
    await supervisor.drain();
  }
  return { view: await readCrawlView(database.pool, job.id), signal };
}

function pausedBy(error: HoldfastError): HoldfastError {
  const { code, detail } = error;
  // Running the same command again would not help.
  if (code === 'address_forbidden') return error;
  return new HoldfastError(code, detail, { hint: 'The crawl is paused; run the same command to continue.' });
}

/** Shows progress and writes pages as they come, until the crawl ends. */
async function watch(
  { session, workerId, job, exporter, display }: OneShotOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { pool } = session.database;
  const events = new EventNotices(pool, job.id, workerId, await lastEvent(session, job.id));
  let isAway = false;
  let holder: string | null = workerId;
  while (!stopping.aborted) {
    try {
      const view = await readCrawlView(pool, job.id);
      if (isAway) display.notice('The database is back.');
      isAway = false;
      await events.print(display);
      if (hasEnded(view)) return;
      if (view.status === 'processing' && view.worker_id !== holder) {
        holder = view.worker_id;
        if (holder !== workerId) display.notice(`Worker ${holder} runs this crawl; following it.`);
      }
      // A worker that may fetch its origins released it.
      if (view.status === 'pending') assertMayFetch(view.payload, session.configuration.allowPrivate);
      display.update(view);
      exporter.wake();
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      if (!isAway) display.notice('The database does not answer. Waiting …');
      isAway = true;
    }
    if (exporter.failure) throw exporter.failure.error;
    await delay(pollMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Pauses the job, so that no worker continues it. Requests in flight finish, and a checkpoint is saved. */
async function stop(
  { session, workerId, job, display }: OneShotOptions,
  supervisor: Supervisor,
): Promise<void> {
  const { pool } = session.database;
  display.notice(
    '\nStopping: finishing requests in flight and saving a checkpoint. Press Ctrl-C again to stop at once.',
  );
  // Drained before it sees the pause, the runner finishes its requests instead of aborting them.
  const drained = supervisor.drain();
  const [paused] = await pauseJobs(pool, [job.id], session.actor, 'the command was interrupted');
  await drained;
  if (paused?.status !== 'processing' || paused.worker_id === workerId) return;
  await new Notifier(pool).notify('request');
  await awaitAcknowledgement(pool, job.id);
}

async function lastEvent({ database }: Session, jobId: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'SELECT event_count AS count FROM crawl_jobs WHERE id = $1',
    [jobId],
  );
  return rows[0]?.count ?? 0;
}

function hasEnded({ status }: CrawlView): boolean {
  return ['completed', 'failed', 'cancelled', 'expired', 'paused'].includes(status);
}
