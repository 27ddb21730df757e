import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createPool } from '../../../packages/server/src/base/database/create-pool.ts';
import {
  clusterFolder,
  openDataFolder,
  readText,
} from '../../../packages/server/src/base/database/embedded/cluster-folder.ts';
import {
  createCluster,
  embeddedUser,
} from '../../../packages/server/src/base/database/embedded/create-cluster.ts';
import {
  embeddedBinaries,
  linkLibraries,
} from '../../../packages/server/src/base/database/embedded/embedded-binaries.ts';
import { readPostmaster } from '../../../packages/server/src/base/database/embedded/postmaster.ts';
import { runServer } from '../../../packages/server/src/base/database/embedded/run-server.ts';
import { serverAccount } from '../../../packages/server/src/base/database/embedded/server-account.ts';
import type { EmbeddedServer } from '../../../packages/server/src/base/database/embedded/server-process.ts';
import { runServerProgram } from '../../../packages/server/src/base/database/embedded/server-program.ts';
import { migrate } from '../../../packages/server/src/base/database/migrate.ts';

const template = 'template_chaos';

const standing = new Set<PrivateServer>();
// Whatever ends us, a signal included: a server that nobody knows of would run for ever.
process.on('exit', () => {
  for (const server of standing) server.abandon();
});

export interface ServerOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Where its folder is to be made; the system's folder of temporary files by default. */
  readonly parent?: string;
}

/** A PostgreSQL of our own in a folder of its own, that can be stopped, killed and started; gone without a trace at the end. */
export class PrivateServer {
  readonly folder: string;
  readonly #server: EmbeddedServer;
  #port = 0;
  #template: Promise<void> | undefined;

  private constructor(folder: string, server: EmbeddedServer) {
    this.folder = folder;
    this.#server = server;
  }

  static async create({ settings = {}, parent = tmpdir() }: ServerOptions = {}): Promise<PrivateServer> {
    const folder = mkdtempSync(join(parent, 'holdfast-chaos-'));
    chmodSync(folder, 0o755); // mkdtemp closes it to the server's user
    return await PrivateServer.in(folder, settings, async () => {});
  }

  /** In a folder that may have a cluster in it; `prepare` changes it before the server starts. */
  static async in(
    folder: string,
    settings: Readonly<Record<string, string>>,
    prepare: (data: string) => Promise<void>,
  ): Promise<PrivateServer> {
    const binaries = embeddedBinaries();
    linkLibraries(binaries.root);
    const cluster = clusterFolder(join(openDataFolder(folder), 'cluster'));
    const programs = [binaries.initdb, binaries.pgCtl, binaries.postgres];
    const log = pino({ level: 'silent' });
    if (readText(join(cluster.data, 'PG_VERSION')) === undefined)
      await createCluster(cluster, binaries, serverAccount(cluster.data, [folder], programs));
    const account = serverAccount(cluster.data, [cluster.path], programs);
    await prepare(cluster.data);
    const created = new PrivateServer(folder, {
      cluster,
      binaries,
      account,
      configuredPort: 0,
      settings,
      log,
    });
    standing.add(created);
    await created.start();
    return created;
  }

  get port(): number {
    return this.#port;
  }

  /** Of the process that started all others of it; undefined while it is down. */
  get pid(): number | undefined {
    return readPostmaster(this.#server.cluster)?.pid;
  }

  get dataFolder(): string {
    return this.#server.cluster.data;
  }

  urlOf(database: string, port = this.#port): string {
    return `postgresql://${embeddedUser}:${readText(this.#server.cluster.password)}@127.0.0.1:${port}/${database}`;
  }

  async start(): Promise<void> {
    this.#port = await runServer(this.#server);
  }

  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    const { account, binaries, cluster } = this.#server;
    await runServerProgram(account, binaries.pgCtl, [
      'stop',
      '-D',
      cluster.data,
      '-m',
      mode,
      '-w',
      '-t',
      '120',
    ]);
  }

  async promote(): Promise<void> {
    const { account, binaries, cluster } = this.#server;
    await runServerProgram(account, binaries.pgCtl, ['promote', '-D', cluster.data, '-w', '-t', '60']);
  }

  /** As the kernel does when memory is short. */
  kill(): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  /** A database with our schema in it. */
  async createDatabase(tablespace = 'pg_default'): Promise<{ name: string; url: string }> {
    // Once: several may ask for a database at the same time.
    this.#template ??= this.#makeTemplate();
    await this.#template;
    const name = `chaos_${randomBytes(4).toString('hex')}`;
    await this.administer(`CREATE DATABASE ${name} TEMPLATE ${template} TABLESPACE ${tablespace}`);
    return { name, url: this.urlOf(name) };
  }

  async dropDatabase(name: string): Promise<void> {
    await this.administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async administer(sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.urlOf('postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async remove(): Promise<void> {
    await this.stop('immediate');
    standing.delete(this);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The same at once, for a process that is about to end. */
  abandon(): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    for (let turn = 0; turn < 100 && this.pid !== undefined; turn++) Atomics.wait(nothing, 0, 0, 50);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #makeTemplate(): Promise<void> {
    const { rowCount } = await this.administer(`SELECT FROM pg_database WHERE datname = '${template}'`);
    if (rowCount) return;
    await this.administer(`CREATE DATABASE ${template}`);
    const pool = createPool({ connectionString: this.urlOf(template) }, pino({ level: 'silent' }));
    await migrate(pool);
    await pool.end();
  }
}
