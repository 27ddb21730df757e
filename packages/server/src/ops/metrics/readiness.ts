import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readMigrationState } from '../../base/database/migration-state.ts';

/** Whether requests should be sent here, and if not, why. */
export type Readiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: 'stopping' | 'database' | 'migrations' };

/** As they are commonly called: probes are often configured before anybody reads a page of documentation. */
export const readyPaths = ['/ready', '/readyz'] as const;
export const alivePaths = ['/livez', '/live'] as const;

/** A load balancer asks every few seconds, and does not wait long. */
const patienceMs = 2_000;

/** Tells whether requests should be sent here. Those who ask at the same time get one answer. */
export class ReadinessCheck {
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #draining: AbortSignal | undefined;
  #reading: Promise<Readiness> | undefined;

  constructor(pool: Pool, log: Logger, draining?: AbortSignal) {
    this.#pool = pool;
    this.#log = log;
    this.#draining = draining;
  }

  async read(): Promise<Readiness> {
    if (this.#draining?.aborted) return { ready: false, reason: 'stopping' };
    this.#reading ??= this.#readDatabase().finally(() => {
      this.#reading = undefined;
    });
    const state = await this.#reading;
    return this.#draining?.aborted ? { ready: false, reason: 'stopping' } : state;
  }

  async #readDatabase(): Promise<Readiness> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), patienceMs);
    });
    try {
      const { pending } = await Promise.race([readMigrationState(this.#pool), silence]);
      if (pending.length === 0) return { ready: true };
      this.#log.warn({ pending: pending.length }, 'Migrations are missing; `holdfast migrate` applies them');
      return { ready: false, reason: 'migrations' };
    } catch (error) {
      this.#log.warn({ err: error }, 'The database does not answer');
      return { ready: false, reason: 'database' };
    } finally {
      clearTimeout(timer);
    }
  }
}
