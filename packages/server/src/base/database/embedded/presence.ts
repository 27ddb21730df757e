import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import pg from 'pg';
import { databaseUnavailable } from '../database-address.ts';
import { readText } from './cluster-folder.ts';
import { embeddedUser } from './create-cluster.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { runServer } from './run-server.ts';
import { isServerGone } from './server-gone.ts';
import { stopServer } from './stop-server.ts';

// 'holdfast' in ASCII. Advisory locks are per database: the presence sessions are all in `postgres`.
const lock = `x'686f6c6466617374'::bigint`;
const longestPause = 5_000;
/** A server that says it is ready and yet refuses us that long will not change its mind. */
const longestEntry = 120_000;

/**
 * One session per process that says "I use this server" with a shared lock. It dies with the process, however the
 * process dies. Whoever leaves and gets the lock alone was the last, and stops the server.
 */
export class Presence {
  /** Called when the server came back on another port, because its own was taken by then. */
  onMove: ((port: number) => void) | undefined;
  readonly #server: EmbeddedServer;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #returning: Promise<void> | undefined;
  #port = 0;

  private constructor(server: EmbeddedServer) {
    this.#server = server;
  }

  /** Starts the server when it does not run, and resolves when this process is counted in. */
  static async enter(server: EmbeddedServer): Promise<Presence> {
    const presence = new Presence(server);
    await presence.#enter();
    return presence;
  }

  /** Where the server listens. */
  get port(): number {
    return this.#port;
  }

  /** The session itself, in the database `postgres`. */
  get client(): pg.Client {
    if (!this.#client)
      throw new HoldfastError('database_unavailable', 'the embedded PostgreSQL is being restarted');
    return this.#client;
  }

  /** Leaves, and stops the server when nobody else is present. */
  async leave(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#returning;
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    try {
      await client.query(`SELECT pg_advisory_unlock_shared(${lock})`);
      const { rows } = await client.query<{ alone: boolean }>(
        `SELECT pg_try_advisory_lock(${lock}) AS alone`,
      );
      // Held until the server is gone: a newcomer waits for the lock, is cut off by the stop, and starts it anew.
      if (rows[0]?.alone) await stopServer(this.#server);
    } catch (error) {
      if (!isServerGone(error)) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async #enter(): Promise<void> {
    const giveUp = Date.now() + longestEntry;
    for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
      const port = await runServer(this.#server);
      const client = this.#newClient(port);
      try {
        await client.connect();
        await client.query(`SELECT pg_advisory_lock_shared(${lock})`);
        this.#client = client;
        if (this.#port && this.#port !== port) this.onMove?.(port);
        this.#port = port;
        client.once('end', () => this.#lost(client));
        return;
      } catch (error) {
        await client.end().catch(() => undefined);
        if (!isServerGone(error) || Date.now() > giveUp) {
          throw databaseUnavailable(error, { host: '127.0.0.1', port, database: 'postgres' });
        }
      }
      await delay(pause, undefined, { signal: this.#closing.signal });
    }
  }

  #newClient(port: number): pg.Client {
    const password = readText(this.#server.cluster.password) ?? '';
    const application_name = 'holdfast presence';
    const target = { host: '127.0.0.1', port, user: embeddedUser, password, database: 'postgres' };
    const client = new pg.Client({
      ...target,
      application_name,
      keepAlive: true,
      connectionTimeoutMillis: 30_000,
    });
    // Every loss also comes as `end`; without a listener Node would end the process.
    client.on('error', () => undefined);
    return client;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#closing.signal.aborted) return;
    this.#server.log.warn({ port: this.#port }, 'The embedded PostgreSQL went away; bringing it back');
    this.#returning = this.#return().catch(() => undefined);
  }

  /** Enters again, for as long as it takes, unless we close. */
  async #return(): Promise<void> {
    const { signal } = this.#closing;
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      try {
        await this.#enter();
        this.#server.log.info({ port: this.#port }, 'The embedded PostgreSQL is back');
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#server.log.warn(
          { reason: (error as Error).message },
          'The embedded PostgreSQL is not back yet',
        );
        await delay(pause, undefined, { signal });
      }
    }
  }
}
