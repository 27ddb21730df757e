import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../../test/database-fixture/create-test-database.ts';
import type { Queryable } from '../../../base/database/statement.ts';
import { listSources } from '../../sources/list-sources.ts';
import type { Source } from '../../sources/source.ts';
import { Governor, type GovernorOptions } from '../governor.ts';

const log = pino({ level: 'silent' });

/** Short intervals, so that tests do not wait for seconds. */
const quick = { turnMs: 50, breaker: { failures: 5, pauseSeconds: 300 } };

/** A database of its own for a test file; each test uses hosts of its own, and as many governors as it likes. */
export class GovernorFixture {
  #database: TestDatabase | undefined;
  #governors: Governor[] = [];
  #hosts = 0;

  constructor() {
    beforeAll(async () => {
      this.#database = await createTestDatabase({ max: 20 });
    });
    afterEach(async () => {
      for (const governor of this.#governors.splice(0)) await governor.close();
    });
    afterAll(() => this.#database?.drop());
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database of this test file is not there yet');
    return this.#database.pool;
  }

  get url(): string {
    return this.#database?.url ?? '';
  }

  newHost(): string {
    return `h${++this.#hosts}.test`;
  }

  /** As if it were a process of its own. */
  newGovernor(options: Partial<GovernorOptions> = {}): Governor {
    const governor = new Governor({ db: this.pool, log, ...quick, ...options });
    this.#governors.push(governor);
    return governor;
  }

  /** A governor whose database can be disconnected, so that it looks dead to the others. */
  newMortal(options: Partial<GovernorOptions> = {}) {
    let away = false;
    const query = (config: QueryConfig) =>
      away ? Promise.reject(new Error('the database is away')) : this.pool.query(config);
    const governor = this.newGovernor({ ...options, db: { query } as Queryable });
    const reachable = (yes: boolean) => () => {
      away = !yes;
    };
    return { governor, cut: reachable(false), mend: reachable(true) };
  }

  async sourceOf(host: string): Promise<Source> {
    const [source] = await listSources(this.pool, { id: `host:${host}` });
    if (!source) throw new Error(`${host} has no source`);
    return source;
  }

  /** Until a statement waits for a lock. */
  async waiting(): Promise<void> {
    const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await vi.waitUntil(async () => (await this.pool.query(sql)).rowCount, { interval: 5, timeout: 5_000 });
  }

  /** Simulates time for one source by moving all its timestamps into the past. */
  async passSeconds(sourceId: string, seconds: number): Promise<void> {
    await this.pool.query(
      `UPDATE sources SET paused_until = paused_until - $2::interval, probe_until = probe_until - $2::interval,
         slowed_at = slowed_at - $2::interval, overloaded_at = overloaded_at - $2::interval,
         paced_since = paced_since - $2::interval, counted_at = counted_at - $2::interval WHERE id = $1`,
      [sourceId, `${seconds} seconds`],
    );
  }
}
