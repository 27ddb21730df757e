import type { Configuration } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { Visitor } from '../visits/visitor.ts';
import type { FromRunner, StopReason } from './messages.ts';

interface Visit {
  readonly job: ClaimedJob;
  readonly stop: AbortController;
  leaseEnds: number;
}

export interface RunVisitsOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Configuration;
  readonly send: (message: FromRunner) => void;
}

/** The visits of a pooled runner, each with its own lease and its own end. */
export class RunVisits {
  readonly #options: RunVisitsOptions;
  readonly #visitor: Visitor;
  readonly #visits = new Map<string, Visit>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: RunVisitsOptions) {
    this.#options = options;
    const { pool, log, configuration } = options;
    const actor = `supervisor:${configuration.workerId ?? 'unnamed'}`;
    this.#visitor = new Visitor({ pool, log, configuration, actor });
  }

  start(job: ClaimedJob, leaseMs: number): void {
    const visit = { job, stop: new AbortController(), leaseEnds: performance.now() + leaseMs };
    this.#visits.set(keyOf(job), visit);
    const running = this.#run(visit).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  renewed(id: string, fence: number, leaseMs: number): void {
    const visit = this.#visits.get(keyOf({ id, fence }));
    if (visit) visit.leaseEnds = performance.now() + leaseMs;
  }

  stop(id: string, fence: number, reason: StopReason): void {
    this.#visits.get(keyOf({ id, fence }))?.stop.abort(reason);
  }

  /** Hands every job back, and ends. */
  async drain(): Promise<void> {
    for (const { stop } of this.#visits.values()) stop.abort('drain');
    await Promise.all(this.#running);
    await this.#visitor.close();
  }

  async #run(visit: Visit): Promise<void> {
    const { job, stop } = visit;
    const { log, send } = this.#options;
    try {
      const status = await this.#visitor.visit(job, () => visit.leaseEnds, stop.signal);
      send({ type: 'visited', id: job.id, fence: job.fence, status });
    } catch (error) {
      log.error(
        { err: error, job: job.id },
        'A visit broke off; its job is recovered when its lease runs out',
      );
      send({ type: 'visited', id: job.id, fence: job.fence, status: 'lost' });
    } finally {
      this.#visits.delete(keyOf(job));
    }
  }
}

function keyOf({ id, fence }: Pick<ClaimedJob, 'id' | 'fence'>): string {
  return `${id} ${fence}`;
}
