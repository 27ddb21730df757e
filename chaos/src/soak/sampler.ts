import { setTimeout as delay } from 'node:timers/promises';
import type { ApiProcess } from '../processes/api-process.ts';
import type { HoldfastProcess } from '../processes/holdfast-process.ts';
import { childrenOf } from '../processes/process-table.ts';
import type { Stage } from '../stage/stage.ts';
import { median } from './growth.ts';
import { Histograms } from './histograms.ts';
import { memoryOf, shareOfMemory } from './memory-of.ts';
import type { SeriesName } from './series.ts';

export interface Sample {
  /** In minutes since the beginning. */
  readonly at: number;
  readonly values: Partial<Record<SeriesName, number>>;
}

const sizes = `
SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::float8 AS connections,
  sum(n_dead_tup)::float8 AS dead, sum(pg_table_size(relid))::float8 / 1048576 AS tables,
  sum(pg_indexes_size(relid))::float8 / 1048576 AS indexes
FROM pg_stat_user_tables`;

/** Looks every few seconds at how everything is. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly #stage: Stage;
  readonly #api: ApiProcess;
  readonly #steady: HoldfastProcess;
  readonly #ports: () => readonly number[];
  readonly #histograms = new Histograms();
  readonly #began = performance.now();
  #isStopped = false;
  #sampling: Promise<void> | undefined;
  #requests = 0;
  #lookedAt = performance.now();

  constructor(
    stage: Stage,
    parts: { api: ApiProcess; steady: HoldfastProcess; ports: () => readonly number[] },
  ) {
    this.#stage = stage;
    this.#api = parts.api;
    this.#steady = parts.steady;
    this.#ports = parts.ports;
  }

  get minutes(): number {
    return (performance.now() - this.#began) / 60_000;
  }

  start(everySeconds: number): void {
    this.#sampling = (async () => {
      while (!this.#isStopped) {
        this.samples.push(await this.#look());
        await delay(everySeconds * 1000);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sampling;
  }

  async #look(): Promise<Sample> {
    const at = this.minutes;
    const ports = this.#ports();
    const values = {
      api: memoryOf(this.#api.process.pid),
      supervisor: memoryOf(this.#steady.pid),
      runner: Math.max(0, ...this.#runners().map(memoryOf)),
      postgres: this.#postgres(),
      claim: await this.#histograms.meanOf('holdfast_claim_seconds', ports),
      checkpoint: await this.#histograms.meanOf('holdfast_checkpoint_seconds', ports),
      answer: await this.#answerTime(),
      yardstick: await this.#questionTime(),
      requests: this.#requestRate(),
      ...(await this.#sizes()),
    };
    // What could not be seen, since something was down at that moment, is left out.
    const seen = Object.entries(values).filter(([, value]) => value !== undefined && value > 0);
    return { at, values: Object.fromEntries(seen) };
  }

  #runners(): number[] {
    return this.#stage.workers.filter(({ hasExited }) => !hasExited).flatMap(({ pid }) => childrenOf(pid));
  }

  #postgres(): number {
    const { pid } = this.#stage.run.server;
    if (pid === undefined) return 0;
    return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + shareOfMemory(one), 0);
  }

  async #answerTime(): Promise<number | undefined> {
    const times: number[] = [];
    for (const path of ['/api/v1/jobs?limit=50', '/api/v1/stats', '/api/v1/jobs?status=processing']) {
      const began = performance.now();
      const status = await this.#api.get(path).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) times.push(performance.now() - began);
    }
    return times.length > 0 ? median(times) : undefined;
  }

  async #questionTime(): Promise<number | undefined> {
    const times: number[] = [];
    try {
      for (let n = 0; n < 5; n++) {
        const began = performance.now();
        await this.#stage.pool.query('SELECT 1');
        times.push(performance.now() - began);
      }
    } catch {
      return undefined;
    }
    return median(times);
  }

  #requestRate(): number {
    const [now, { requests }] = [performance.now(), this.#stage];
    const rate = (1000 * (requests - this.#requests)) / (now - this.#lookedAt);
    this.#requests = requests;
    this.#lookedAt = now;
    return rate;
  }

  async #sizes(): Promise<Partial<Record<SeriesName, number>>> {
    try {
      const { rows } = await this.#stage.pool.query<Record<string, number>>(sizes);
      return rows[0] ?? {};
    } catch {
      return {};
    }
  }
}
