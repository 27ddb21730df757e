import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { readSourceStates } from '../sources/read-source-states.ts';
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
  /** A dead run's shares come back after this. */
  readonly shareTtlMs?: number;
  /** How often to look what others did to the sources in use. */
  readonly turnMs?: number;
  /** A probe that is not settled in this time may be taken by another worker. */
  readonly probeTtlMs?: number;
}

const refreshEveryMs = 30_000;

/**
 * Decides when a request to the outside may start, so that all workers together keep the limits of each source. The truth
 * is in the database; here is what this process was granted of it.
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
   * `runId` names the run's shares: a job's id and its fence, so that a zombie does not renew or release those of its
   * successor; or the id of a pooled runner, whose jobs then share among themselves. `everyCounts`: each failed request is
   * its source's failure, as with visits and collections; of a crawl, it may be its page's.
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

  /** Afterwards nothing is asked of the database any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.close()));
    // What ended after its run, such as requests that were broken off.
    await this.#reporter.drain();
    await this.#directory.close();
    await this.#link.close();
  }

  /** With its last run a governor falls silent: nothing keeps the process alive. */
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
