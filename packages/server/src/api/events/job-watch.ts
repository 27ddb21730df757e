import { setTimeout as delay } from 'node:timers/promises';
import { isLive, type JobProgress, type JobStatus } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { WakeSignal } from '../../base/process/wake-signal.ts';
import { readProgress } from '../../crawl/frontier/read-progress.ts';
import type { JobEvent } from '../../queue/jobs/find-jobs.ts';
import type { Listener } from '../../queue/jobs/notifications.ts';

interface JobUpdate {
  readonly events: readonly JobEvent[];
  /** Progress, if it has changed. */
  readonly progress?: JobProgress;
  /** The job was deleted; this is the last message. */
  readonly isGone?: true;
}

export interface JobWatcher {
  readonly jobId: string;
  /** Number of the last event that the watcher knows. */
  readonly after: number;
  /** Whether it can take updates now; otherwise they wait in the database. */
  readonly isReady: () => boolean;
  readonly notify: (update: JobUpdate) => void;
}

export interface JobWatchOptions {
  readonly db: Queryable;
  readonly listener?: Pick<Listener, 'on'>;
  readonly log: Logger;
  readonly turnMs?: number;
}

interface Watched {
  readonly watcher: JobWatcher;
  after: number;
  status?: JobStatus;
  /** The last reported progress, as text. */
  reported?: string;
}

const minPauseMs = 100;

/* Events of a job commit in the order of their numbers, because each is written under the lock of the job's row. */
const updatesStatement = statement<JobEvent & { position: number }>(
  'read-job-news',
  `
SELECT asked.position, event.* FROM unnest($1::uuid[], $2::integer[]) WITH ORDINALITY AS asked (id, after, position)
CROSS JOIN LATERAL (
  SELECT event_no, transition, from_status, to_status, fence, at, actor, reason FROM job_events
  WHERE job_id = asked.id AND event_no > asked.after ORDER BY event_no LIMIT 500
) event
ORDER BY asked.position, event.event_no`,
);

/** Polls jobs for any number of watchers with two statements per turn, and not at all without watchers. */
export class JobWatch {
  readonly #options: JobWatchOptions;
  readonly #watched = new Set<Watched>();
  readonly #wake = new WakeSignal();
  #isRunning = false;
  #isWoken = false;

  constructor(options: JobWatchOptions) {
    this.#options = options;
  }

  /** Sends progress and the events after `after`, then updates. Returns a function that unsubscribes. */
  add(watcher: JobWatcher): () => void {
    const watched: Watched = { watcher, after: watcher.after };
    this.#watched.add(watched);
    if (this.#isRunning) this.#ring();
    else void this.#run();
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size === 0) this.#ring();
    };
  }

  #ring(): void {
    this.#isWoken = true;
    this.#wake.notify();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { listener, log, turnMs = 1_000 } = this.#options;
    const wake = () => this.#ring();
    const unsubscribe = [listener?.on('work', wake), listener?.on('request', wake)];
    const never = new AbortController().signal;
    let progressAt = Number.NEGATIVE_INFINITY;
    while (this.#watched.size > 0) {
      this.#isWoken = false;
      const isTurn = performance.now() - progressAt >= turnMs;
      if (isTurn) progressAt = performance.now();
      await this.#turn(isTurn).catch((error: unknown) =>
        log.warn({ err: error }, 'Job updates cannot be read; retrying'),
      );
      await delay(minPauseMs);
      if (!this.#isWoken) await this.#wake.wait(never, Math.max(0, progressAt + turnMs - performance.now()));
    }
    for (const stop of unsubscribe) stop?.();
    this.#isRunning = false;
  }

  /** Reads events on every call; progress once per turn, and at once for new watchers. */
  async #turn(isTurn: boolean): Promise<void> {
    const { db } = this.#options;
    const ready = [...this.#watched].filter(({ watcher }) => watcher.isReady());
    if (ready.length === 0) return;
    const rows = await run(db, updatesStatement, [
      ready.map(({ watcher }) => watcher.jobId),
      ready.map(({ after }) => after),
    ]);
    const events = ready.map((): JobEvent[] => []);
    for (const { position, ...event } of rows) events[position - 1]?.push(event);
    const asking = ready.filter((watched, index) => {
      if (watched.reported === undefined) return true;
      const mayHaveMoved = watched.status === undefined || isLive(watched.status) || events[index]?.length;
      return isTurn && mayHaveMoved;
    });
    const ids = [...new Set(asking.map(({ watcher }) => watcher.jobId))];
    const progress = new Map(
      (ids.length > 0 ? await readProgress(db, ids) : []).map((row) => [row.job_id, row]),
    );
    for (const [index, watched] of ready.entries()) {
      // It may have unsubscribed during the query.
      if (!this.#watched.has(watched)) continue;
      this.#notify(
        watched,
        events[index] ?? [],
        progress.get(watched.watcher.jobId),
        asking.includes(watched),
      );
    }
  }

  #notify(watched: Watched, events: JobEvent[], progress: JobProgress | undefined, hasAsked: boolean): void {
    const { watcher } = watched;
    watched.after = events.at(-1)?.event_no ?? watched.after;
    // Unknown status: read the progress in the next turn.
    if (events.length > 0 && !hasAsked) watched.status = 'pending';
    if (hasAsked && !progress) {
      this.#watched.delete(watched);
      watcher.notify({ events, isGone: true });
      return;
    }
    const text = progress && JSON.stringify({ ...progress, estimated_end_at: null });
    const hasMoved = text !== undefined && text !== watched.reported;
    if (progress) watched.status = progress.status;
    if (text !== undefined) watched.reported = text;
    if (events.length > 0 || hasMoved) watcher.notify({ events, ...(progress && hasMoved && { progress }) });
  }
}
