import type { DatabaseLink } from './database-link.ts';
import type { GovernedSource } from './governed-source.ts';
import { type Breaker, reportOutcomes } from './report-outcomes.ts';

/** Long enough for what fails together to be written together. */
const gatherMs = 10;
const againMs = 1_000;
const maxBatch = 500;

/** Writes what was noted of sources, one batch at a time; what could not be written is kept and written later. */
export class OutcomeReporter {
  readonly #link: DatabaseLink;
  readonly #breaker: Breaker;
  readonly #waiting = new Set<GovernedSource>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;

  constructor(link: DatabaseLink, breaker: Breaker) {
    this.#link = link;
    this.#breaker = breaker;
  }

  add(source: GovernedSource): void {
    this.#waiting.add(source);
    this.#timer ??= setTimeout(() => void this.#flush(), gatherMs);
  }

  /** Resolves when nothing is left, or the database is away. */
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
    const reports = new Map(batch.map((source) => [source, source.notes.collect(source.id, now)]));
    const heard = await this.#link.ask((db) => reportOutcomes(db, [...reports.values()], this.#breaker));
    if (!heard) {
      for (const [source, report] of reports) {
        source.notes.restore(report);
        this.#waiting.add(source);
      }
      // Not a reason for a process to live on when its database does not.
      this.#timer ??= setTimeout(() => void this.#flush(), againMs).unref();
      return false;
    }
    const states = new Map(heard.rows.map((state) => [state.source_id, state]));
    for (const source of batch) {
      source.reporting = this.#waiting.has(source);
      source.learnWritten(states.get(source.id));
    }
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => void this.#flush(), gatherMs);
    return true;
  }
}
