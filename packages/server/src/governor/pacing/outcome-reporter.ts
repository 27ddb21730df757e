import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import type { SourceState } from '../sources/source-state.ts';
import type { DatabaseLink } from './database-link.ts';
import type { GovernedSource } from './governed-source.ts';
import { type Breaker, type OutcomeReport, reportOutcomes } from './report-outcomes.ts';

/** Long enough to write simultaneous failures together. */
const gatherMs = 10;
const againMs = 1_000;
const maxBatch = 500;

/** Writes the outcomes of sources in batches. What could not be written is kept and written later. */
export class OutcomeReporter {
  readonly #link: DatabaseLink;
  readonly #breaker: Breaker;
  readonly #log: Logger;
  readonly #waiting = new Set<GovernedSource>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;

  constructor(link: DatabaseLink, breaker: Breaker, log: Logger) {
    this.#link = link;
    this.#breaker = breaker;
    this.#log = log;
  }

  add(source: GovernedSource): void {
    this.#waiting.add(source);
    this.#timer ??= setTimeout(() => void this.#flush(), gatherMs);
  }

  /** Resolves when everything is written, or the database is unreachable. */
  async drain(): Promise<void> {
    while (this.#waiting.size > 0 || this.#writing) {
      if (!(await this.#flush())) break;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<boolean> {
    const now = this.#link.now();
    const batch = [...this.#waiting].slice(0, maxBatch);
    if (batch.length === 0) return true;
    for (const source of batch) this.#waiting.delete(source);
    const unwritten = new Map(batch.map((source) => [source, source.notes.collect(source.id, now)]));
    let failed: unknown;
    const heard = await this.#link.ask((db) =>
      this.#report(db, unwritten).catch((error) => {
        failed = error;
        throw error;
      }),
    );
    if (!heard) {
      const mayBeThere = mayBeWritten(failed);
      for (const [source, report] of unwritten) {
        source.notes.restore(mayBeThere ? repeatable(report) : report);
        this.#waiting.add(source);
      }
      for (const source of batch) if (!unwritten.has(source)) this.#written(source, undefined);
      // Does not keep a process alive whose database is gone.
      this.#timer ??= setTimeout(() => void this.#flush(), againMs).unref();
      return false;
    }
    const states = new Map(heard.rows.map((state) => [state.source_id, state]));
    for (const source of batch) this.#written(source, states.get(source.id));
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => void this.#flush(), gatherMs);
    return true;
  }

  #written(source: GovernedSource, state: SourceState | undefined): void {
    source.reporting = this.#waiting.has(source);
    source.learnWritten(state);
  }

  /**
   * Writes all reports in one statement. If the database rejects the values of one, each is written by itself and the rejected
   * one is dropped: it would fail forever and block the others. Removes from `unwritten` what is done.
   */
  async #report(db: Queryable, unwritten: Map<GovernedSource, OutcomeReport>): Promise<SourceState[]> {
    try {
      return await reportOutcomes(db, [...unwritten.values()], this.#breaker);
    } catch (error) {
      if (!isAboutData(error)) throw error;
    }
    const states: SourceState[] = [];
    for (const [source, report] of unwritten) {
      try {
        states.push(...(await reportOutcomes(db, [report], this.#breaker)));
      } catch (error) {
        if (!isAboutData(error)) throw error;
        this.#log.error(
          { err: error, source: source.id, report },
          `Dropped a report about ${source.id} that the database rejected; its pace and pauses may be delayed`,
        );
      }
      unwritten.delete(source);
    }
    return states;
  }
}

/** Whether the server rejected a value or a row, which it will do again. */
function isAboutData(error: unknown): boolean {
  const { code = '', severity } = error as Partial<Failure>;
  return severity !== undefined && /^2[23]/.test(code);
}

/** Whether only the answer may be missing. Without a connection, or with an error of the server, nothing was written. */
function mayBeWritten(error: unknown): boolean {
  if (error === undefined) return false;
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const { code = '', severity, syscall = '', message = '' } = first as Partial<Failure>;
  if (['connect', 'getaddrinfo'].includes(syscall)) return false;
  // The pool's message when no connection became available in time.
  if (/trying to connect|connection timeout/.test(message)) return false;
  // An error of the server; but a shutdown may cut off a session that has committed and waits for its standby.
  return severity === undefined || /^(08|57P0[12])/.test(code);
}

/** Fields of errors of the driver, the server and the system. */
type Failure = Record<'code' | 'severity' | 'syscall' | 'message', string>;

/**
 * The part of a report that may be written twice. Failures add to a streak, and five pause a source for minutes: better lose them
 * than count them twice. After a success they are the whole streak, however often it is written. Answers are counts too.
 */
function repeatable(report: OutcomeReport): OutcomeReport {
  const once = { ...report, answers: 0, refused: 0, failed: 0, told_429: false };
  return report.succeeded ? once : { ...once, failures: 0, failed_urls: 0 };
}
