import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError, type Job } from '@holdfast/contract';
import { runnerProgramPath } from '../../base/process/installation.ts';
import type { PageExporter } from '../../pages/export/page-exporter.ts';
import { awaitAcknowledgement } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { Supervisor } from '../../worker/supervisor/supervisor.ts';
import type { Session } from '../with-database.ts';
import { assertMayFetch } from './assert-may-fetch.ts';
import type { CrawlDisplay } from './crawl-display.ts';
import { type CrawlView, readCrawlView } from './crawl-view.ts';
import { TellEvents } from './event-notices.ts';

export interface OneShotOptions {
  readonly session: Session;
  readonly workerId: string;
  readonly job: Job;
  readonly exporter: PageExporter;
  readonly display: CrawlDisplay;
  /** Resolves with a signal's name when the crawl is to stop for now. The callback is for when there is no time for that. */
  readonly interrupted: (hurry: () => void) => Promise<string>;
}

export interface OneShotEnd {
  readonly view: CrawlView;
  /** The signal that ended it, or nothing when it came to its own end. */
  readonly signal: string | undefined;
}

const lookMs = 250;

/** Runs one job until it ends or the person who waits for it does not want to any more. If a worker has it, watches. */
export async function runOneShot(options: OneShotOptions): Promise<OneShotEnd> {
  const { session, workerId, job } = options;
  const { configuration, database, log } = session;
  const supervisor = new Supervisor({
    configuration: { ...configuration, maxConcurrentJobs: 1 },
    database,
    log,
    workerId,
    runnerProgram: runnerProgramPath,
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
    // The output cannot be written any more, or what it needs not be fetched: the crawl waits until that can be.
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
  // The same command would not do: it has to be given leave.
  if (code === 'address_forbidden') return error;
  return new HoldfastError(code, detail, { hint: 'The crawl is paused; the same command goes on with it.' });
}

/** Shows how the crawl goes, and writes its pages as they come, until it ends. */
async function watch(
  { session, workerId, job, exporter, display }: OneShotOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { pool } = session.database;
  const events = new TellEvents(pool, job.id, workerId, await lastEvent(session, job.id));
  let isAway = false;
  let holder: string | null = workerId;
  while (!stopping.aborted) {
    try {
      const view = await readCrawlView(pool, job.id);
      if (isAway) display.notice('The database is back.');
      isAway = false;
      await events.tell(display);
      if (hasEnded(view)) return;
      if (view.status === 'processing' && view.worker_id !== holder) {
        holder = view.worker_id;
        if (holder !== workerId) display.notice(`Worker ${holder} runs this crawl; following it.`);
      }
      // Somebody who may fetch it let go of it.
      if (view.status === 'pending') assertMayFetch(view.payload, session.configuration.allowPrivate);
      display.update(view);
      exporter.wake();
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      if (!isAway) display.notice('The database does not answer; waiting for it.');
      isAway = true;
    }
    if (exporter.failure) throw exporter.failure.error;
    await delay(lookMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Leaves the job paused, so that nobody else goes on with it: requests in flight end, and a checkpoint is saved. */
async function stop(
  { session, workerId, job, display }: OneShotOptions,
  supervisor: Supervisor,
): Promise<void> {
  const { pool } = session.database;
  display.notice(
    '\nStopping: letting requests in flight end, and saving a checkpoint. Ctrl-C again ends at once.',
  );
  // Told to drain before it hears of the pause, the runner lets requests end instead of cutting them off.
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
