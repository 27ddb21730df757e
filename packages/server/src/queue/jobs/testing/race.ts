import type pg from 'pg';
import type { Queryable } from '../../../base/database/statement.ts';
import type { Situation, Stage } from './situation.ts';
import type { Step } from './step.ts';

/** Everything observable after the steps: rows, timelines and the answer of each step. */
export interface Outcome {
  readonly answers: readonly unknown[];
  readonly jobs: readonly unknown[];
  readonly events: readonly unknown[];
}

const stateText = `
SELECT
  (SELECT coalesce(json_agg(json_build_object('id', id, 'status', status, 'requested_action', requested_action,
      'fence', fence, 'retry_count', retry_count, 'progress', progress_percentage, 'worker', worker_id,
      'error', error_code, 'event_count', event_count, 'leased', lease_expires_at > now(),
      'waits', run_at IS NOT NULL, 'backs_off', next_retry_at > now(), 'finished', completed_at IS NOT NULL)
      ORDER BY id), '[]') FROM crawl_jobs) AS jobs,
  (SELECT coalesce(json_agg(json_build_object('id', job_id, 'event_no', event_no, 'transition', transition,
      'from', from_status, 'to', to_status, 'fence', event.fence, 'actor', actor, 'reason', reason)
      ORDER BY job_id, event_no), '[]')
    FROM job_events event LEFT JOIN crawl_jobs ON id = job_id) AS events`;

const blockedText = "SELECT wait_event_type = 'Lock' AS blocked FROM pg_stat_activity WHERE pid = $1";

const emptyText = 'DELETE FROM crawl_jobs; DELETE FROM job_events';
const saveText = `
DROP TABLE IF EXISTS saved_jobs, saved_events;
CREATE UNLOGGED TABLE saved_jobs AS TABLE crawl_jobs;
CREATE UNLOGGED TABLE saved_events AS TABLE job_events`;
const restoreText = `${emptyText};
INSERT INTO crawl_jobs OVERRIDING SYSTEM VALUE TABLE saved_jobs;
INSERT INTO job_events TABLE saved_events`;

/** Each one leaves dead rows for the next ones to skip. */
const restoresBetweenVacuums = 20;

/** Two sessions working on one job, and a third that watches them. */
export class Race {
  readonly #first: pg.PoolClient;
  readonly #second: pg.PoolClient;
  readonly #watcher: pg.PoolClient;
  #situation: Situation | undefined;
  #stage: Stage | undefined;
  #serial = new Map<string, Promise<Outcome>>();
  readonly #ids = new Map<Step, number>();
  #restored = 0;

  constructor(first: pg.PoolClient, second: pg.PoolClient, watcher: pg.PoolClient) {
    this.#first = first;
    this.#second = second;
    this.#watcher = watcher;
  }

  static async open(pool: pg.Pool): Promise<Race> {
    return new Race(await pool.connect(), await pool.connect(), await pool.connect());
  }

  close(): void {
    for (const client of [this.#first, this.#second, this.#watcher]) client.release();
  }

  /** The outcome of the steps in sequence; rolled back afterwards. */
  async serially(situation: Situation, ...steps: readonly Step[]): Promise<Outcome> {
    const stage = await this.#prepare(situation);
    const key = steps.map((step) => this.#idOf(step)).join(' | ');
    const known = this.#serial.get(key) ?? this.#serially(stage, steps);
    this.#serial.set(key, known);
    return known;
  }

  async #serially(stage: Stage, steps: readonly Step[]): Promise<Outcome> {
    await this.#first.query(`BEGIN; ${restoreText}`);
    try {
      const answers: unknown[] = [];
      for (const step of steps) answers.push(await step.act(this.#first, stage));
      return await this.#outcome(this.#first, stage, answers);
    } finally {
      await this.#first.query('ROLLBACK');
    }
  }

  /** The outcome when the second step starts before the first has ended its transaction. */
  async concurrently(
    situation: Situation,
    [first, second]: readonly [Step, Step],
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<Outcome> {
    const stage = await this.#prepare(situation);
    if (++this.#restored % restoresBetweenVacuums === 0) await this.#vacuum();
    await this.#watcher.query(restoreText);
    await this.#first.query('BEGIN');
    const firstAnswer = await first.act(this.#first, stage);
    const started = second.act(this.#second, stage);
    await this.#blockedOrDone(started);
    await this.#first.query(end);
    const answers = [firstAnswer, await started];
    return this.#outcome(this.#watcher, stage, end === 'COMMIT' ? answers : answers.slice(1));
  }

  /** Two steps may share a name: one by the holder, one by a holder who lost the lease. */
  #idOf(step: Step): number {
    const id = this.#ids.get(step) ?? this.#ids.size;
    this.#ids.set(step, id);
    return id;
  }

  /** Creates the situation once and keeps its rows, to restore them for each race. */
  async #prepare(situation: Situation): Promise<Stage> {
    if (this.#stage && this.#situation === situation) return this.#stage;
    await this.#watcher.query(emptyText);
    await this.#vacuum();
    this.#stage = await situation.prepare(this.#watcher);
    await this.#watcher.query(saveText);
    this.#situation = situation;
    this.#serial = new Map();
    return this.#stage;
  }

  async #vacuum(): Promise<void> {
    for (const table of ['crawl_jobs', 'job_events']) await this.#watcher.query(`VACUUM ${table}`);
  }

  async #blockedOrDone(started: Promise<unknown>): Promise<void> {
    const { processID } = this.#second as pg.PoolClient & { processID: number };
    let done = false;
    const ended = started.then(
      () => true,
      () => true,
    );
    ended.then(() => {
      done = true;
    });
    while (!done) {
      const { rows } = await this.#watcher.query({ name: 'blocked', text: blockedText, values: [processID] });
      if (rows[0]?.blocked) return;
    }
  }

  async #outcome(db: Queryable, stage: Stage, answers: readonly unknown[]): Promise<Outcome> {
    const { rows } = await db.query<{ jobs: unknown[]; events: unknown[] }>({
      name: 'state',
      text: stateText,
    });
    return withoutIds(stage, { answers, jobs: rows[0]?.jobs ?? [], events: rows[0]?.events ?? [] });
  }
}

/** Replaces ids, which differ between runs, by what they stand for. */
function withoutIds({ job, twin }: Stage, outcome: Outcome): Outcome {
  const names = new Map([
    [job.id, 'the job'],
    [twin?.id, 'the twin'],
  ]);
  const text = JSON.stringify(outcome).replaceAll(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    (id) => names.get(id) ?? 'a new job',
  );
  return JSON.parse(text);
}
