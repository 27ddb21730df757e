import type { Configuration } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { readSourceStates } from '../sources/source-state.ts';
import { DatabaseLink } from './database-link.ts';
import { GovernedRun } from './governed-run.ts';
import { OutcomeReporter } from './outcome-reporter.ts';
import { type Breaker, standardBreaker } from './report-outcomes.ts';
import { SourceDirectory } from './source-directory.ts';

export interface GovernorOptions {
  readonly db: Queryable;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  readonly breaker?: Breaker;
  /** Shares of a dead run are released after this time. */
  readonly shareTtlMs?: number;
  /** How often the state of the sources in use is read. */
  readonly turnMs?: number;
  /** After this time an unsettled probe may be taken by another worker. */
  readonly probeTtlMs?: number;
}

type Times = Pick<Configuration, 'breakerFailures' | 'breakerPauseSeconds' | 'probeSeconds' | 'shareSeconds'>;

/** A governor's breaker and leases, as configured. */
export function governorTimes(times: Times) {
  return {
    breaker: { failures: times.breakerFailures, pauseSeconds: times.breakerPauseSeconds },
    probeTtlMs: times.probeSeconds * 1000,
    shareTtlMs: times.shareSeconds * 1000,
  } satisfies Partial<GovernorOptions>;
}

const refreshEveryMs = 30_000;

/**
 * Decides when a request may start, so that all workers together keep the limits of each source. The database holds the limits;
 * the governor holds what this process was granted of them.
 */
export class Governor {
  readonly #options: GovernorOptions;
  readonly #link: DatabaseLink;
  readonly #directory: SourceDirectory;
  readonly #reporter: OutcomeReporter;
  readonly #runs = new Set<GovernedRun>();
  #turns: PeriodicTask | undefined;
  #refreshAt: number;

  constructor(options: GovernorOptions) {
    const {
      db,
      log,
      clock = () => performance.now(),
      breaker = standardBreaker,
      probeTtlMs = 60_000,
    } = options;
    this.#options = options;
    this.#link = new DatabaseLink(db, log, clock);
    this.#reporter = new OutcomeReporter(this.#link, breaker, log);
    const onReport = this.#reporter.add.bind(this.#reporter);
    this.#directory = new SourceDirectory({ link: this.#link, breaker, probeTtlMs, onReport });
    this.#refreshAt = clock() + refreshEveryMs;
  }

  /**
   * `runId` names the run's shares: a job's id and fence, so that a zombie does not renew or release those of its successor; or
   * the id of a pooled runner, whose jobs divide them among themselves. `everyCounts`: each failed request counts as the
   * source's failure, as for visits and collections; in a crawl it may be the page's.
   */
  openRun(runId: string, { everyCounts = false } = {}): GovernedRun {
    const { log, turnMs = 1_000, shareTtlMs = 10_000 } = this.#options;
    const onClose = (closed: GovernedRun) => this.#closeRun(closed);
    const { link, directory } = { link: this.#link, directory: this.#directory };
    const run = new GovernedRun(runId, { link, directory, shareTtlMs, everyCounts, onClose });
    this.#runs.add(run);
    this.#turns ??= runPeriodically('The governor', turnMs / 1000, log, () => this.#turn());
    return run;
  }

  /** Sends nothing to the database afterwards. */
  async close(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.close()));
    // Requests that end after their run, such as aborted ones.
    await this.#reporter.drain();
    await this.#directory.close();
    await this.#link.close();
  }

  /** With its last run a governor becomes idle, and does not keep the process alive. */
  async #closeRun(run: GovernedRun): Promise<void> {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    const turns = this.#turns;
    this.#turns = undefined;
    await turns?.stop();
    this.#reportDue(Number.POSITIVE_INFINITY);
    await this.#reporter.drain();
    await this.#directory.dropUnused();
  }

  async #turn(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.releaseIdle()));
    const inUse = [...this.#directory.sources.values()].filter((source) => source.seats.size > 0);
    const ids = inUse.map((source) => source.id);
    const heard = ids.length > 0 ? await this.#link.ask((db) => readSourceStates(db, ids)) : undefined;
    for (const { runs, ...state } of heard?.rows ?? []) {
      const source = this.#directory.sources.get(state.source_id);
      if (heard) source?.learn(state, heard.sentAt);
      for (const seat of source?.seats ?? []) if (seat.runs > 0 && seat.runs !== runs) seat.renewAt = 0;
    }
    await Promise.all([...this.#runs].map((run) => run.renew()));
    this.#reportDue(this.#link.now());
    await this.#directory.dropUnused();
    if (this.#link.now() >= this.#refreshAt) await this.#refresh();
  }

  #reportDue(now: number): void {
    for (const source of this.#directory.sources.values()) {
      if (source.notes.isDue(now)) this.#reporter.add(source);
      else source.notes.roll(now);
    }
  }

  async #refresh(): Promise<void> {
    this.#refreshAt = this.#link.now() + refreshEveryMs;
    const moved = await this.#directory.refresh();
    if (moved.length > 0) for (const run of this.#runs) run.rebind(moved);
  }
}
