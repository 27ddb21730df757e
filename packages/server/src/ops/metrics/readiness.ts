import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readMigrationState } from '../../base/database/migration-state.ts';

export type Readiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: 'stopping' | 'database' | 'migrations' };

/** Under their common names, so that probes work without configuration. */
export const readyPaths = ['/ready', '/readyz'] as const;
export const alivePaths = ['/livez', '/live'] as const;

/** Load balancers probe every few seconds and do not wait long. */
const timeoutMs = 2_000;

/** Whether this process should get requests. Concurrent probes share one answer. */
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
      timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    });
    try {
      const { pending } = await Promise.race([readMigrationState(this.#pool), silence]);
      if (pending.length === 0) return { ready: true };
      this.#log.warn({ pending: pending.length }, 'Migrations are missing; run `holdfast migrate`');
      return { ready: false, reason: 'migrations' };
    } catch (error) {
      this.#log.warn({ err: error }, 'The database does not answer');
      return { ready: false, reason: 'database' };
    } finally {
      clearTimeout(timer);
    }
  }
}
