import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { quietLog } from './quiet-log.ts';

/** One PostgreSQL for the whole run, the product's own with its own settings, shared by all contenders. */
export class BenchServer {
  readonly #database: Database;
  readonly #folder: string;

  private constructor(database: Database, folder: string) {
    this.#database = database;
    this.#folder = folder;
  }

  static async start(): Promise<BenchServer> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const settings = { databaseUrl: undefined, dataFolder: folder, databasePort: 0 };
    const database = await openDatabase(settings, quietLog, { name: 'bench', migrate: false });
    const server = new BenchServer(database, folder);
    await server.#demandDurability();
    return server;
  }

  get version(): string {
    return this.#database.serverVersion;
  }

  get describe(): string {
    return `PostgreSQL ${this.version}, fsync and synchronous_commit on`;
  }

  async stop(): Promise<void> {
    await this.#database.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Calls `use` with the url of a new database, and drops it afterwards. */
  async withDatabase<Result>(name: string, use: (url: string) => Promise<Result>): Promise<Result> {
    await this.#run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await this.#run(`CREATE DATABASE ${name}`);
    const url = new URL(this.#database.url);
    url.pathname = name;
    try {
      return await use(url.href);
    } finally {
      await this.#run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  }

  async #demandDurability(): Promise<void> {
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      const { rows } = await this.#database.pool.query(`SELECT current_setting('${setting}') AS value`);
      if (rows[0]?.value !== 'on')
        throw new Error(`${setting} is ${rows[0]?.value}: nothing here may be measured without it`);
    }
  }

  async #run(sql: string): Promise<void> {
    await this.#database.pool.query(sql);
  }
}
