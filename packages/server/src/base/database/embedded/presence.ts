import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import pg from 'pg';
import { databaseUnavailable } from '../database-address.ts';
import { readText } from './cluster-folder.ts';
import { embeddedUser } from './create-cluster.ts';
import { runServer } from './run-server.ts';
import { type EmbeddedServer, stopServer } from './server-process.ts';

// 'holdfast' in ASCII. Advisory locks are per database, so every presence session is in `postgres`.
const lock = `x'686f6c6466617374'::bigint`;
const longestPause = 5_000;
/** How long to retry when a server that reports ready refuses the session. */
const longestEntry = 120_000;

/**
 * One session per process, whose shared lock says that the process uses the server. It ends with the process, however that
 * dies. A process that leaves and gets the lock exclusively was the last, and stops the server.
 */
export class Presence {
  /** Called when the server was restarted on another port, because its own had been taken. */
  onMove: ((port: number) => void) | undefined;
  readonly #server: EmbeddedServer;
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  #returning: Promise<void> | undefined;
  #port = 0;

  private constructor(server: EmbeddedServer) {
    this.#server = server;
  }

  /** Starts the server if it is not running, and registers this process. */
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

  /** Unregisters this process, and stops the server if nobody else uses it. */
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
      // Held until the server has stopped: a newcomer waits for the lock, is cut off by the stop, and starts it again.
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
    // `end` reports every loss too. Without a listener for `error` Node would exit.
    client.on('error', () => undefined);
    return client;
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#closing.signal.aborted) return;
    this.#server.log.warn({ port: this.#port }, 'The embedded PostgreSQL stopped; restarting it');
    this.#returning = this.#return().catch(() => undefined);
  }

  /** Enters again, retrying until this process leaves. */
  async #return(): Promise<void> {
    const { signal } = this.#closing;
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      try {
        await this.#enter();
        this.#server.log.info({ port: this.#port }, 'Restarted the embedded PostgreSQL');
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#server.log.warn(
          { reason: (error as Error).message },
          'Could not restart the embedded PostgreSQL; trying again',
        );
        await delay(pause, undefined, { signal });
      }
    }
  }
}

// admin_shutdown, crash_shutdown, cannot_connect_now (starts or stops), too_many_connections (of sessions cut off).
const states = new Set(['57P01', '57P02', '57P03', '53300']);
const codes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Whether the error says that the server has stopped, is stopping or starting, so that a retry may help. */
function isServerGone(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    states.has(code) ||
    codes.has(code) ||
    /^Connection terminated|not queryable|timeout expired/.test(message)
  );
}
