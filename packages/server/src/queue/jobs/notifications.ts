import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { clientClass } from '../../base/database/client-class.ts';
import { limitSession } from '../../base/database/session-settings.ts';
import { type Channel, channels } from './notifier.ts';

const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

/**
 * Hears notifications on a connection of its own and reconnects for ever. Behind a pooler it stays silent and polling does
 * the work alone: in transaction mode, LISTEN stays on a connection that others use next, and we would hear nothing.
 */
export class Listener {
  readonly #database: { readonly url: string };
  readonly #log: Logger;
  readonly #handlers = new Map<Channel, Set<() => void>>();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;

  /** The url is read at each connect: an embedded server may come back on another port. */
  constructor(database: { readonly url: string }, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Calls `handler` on each notification, and after each reconnect, since some may have been missed. */
  on(channel: Channel, handler: () => void): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** Resolves once the first attempt to listen has succeeded or failed; keeps trying afterwards. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end().catch(() => {});
    await this.#running;
  }

  async #run(attempted: () => void): Promise<void> {
    let backoff = firstBackoffMs;
    while (!this.#stopping.signal.aborted) {
      try {
        const listening = await this.#listen();
        backoff = firstBackoffMs;
        attempted();
        if (!listening) return;
        await listening.closed;
      } catch (error) {
        attempted();
        if (this.#stopping.signal.aborted) return;
        this.#log.warn({ err: error }, 'Cannot listen for notifications; polling until the database is back');
      }
      await delay(backoff, undefined, { signal: this.#stopping.signal }).catch(() => {});
      backoff = Math.min(backoff * 2, maxBackoffMs);
    }
  }

  /** Connects and listens; `closed` resolves when the connection is gone. Undefined: a pooler is in between. */
  async #listen(): Promise<{ closed: Promise<void> } | undefined> {
    const Client = clientClass(this.#database.url);
    const client = new Client({
      connectionString: this.#database.url,
      application_name: 'holdfast listener',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    });
    const closed = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.once('error', () => client.end().then(resolve, resolve));
    });
    this.#client = client;
    client.on('notification', ({ channel }) => {
      for (const name of Object.keys(channels) as Channel[]) if (channels[name] === channel) this.#emit(name);
    });
    try {
      // connect() of a client that is ended meanwhile never settles, and stop() would wait for ever.
      const lost = closed.then(() => Promise.reject(new Error('the connection was closed')));
      const isListening = await Promise.race([connectAndListen(client), lost]);
      if (!isListening) {
        await client.end();
        return undefined;
      }
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    for (const name of Object.keys(channels) as Channel[]) this.#emit(name);
    return { closed };
  }

  #emit(channel: Channel): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler();
  }
}

async function connectAndListen(client: pg.Client): Promise<boolean> {
  await client.connect();
  if (!(await limitSession(client))) return false;
  for (const name of Object.values(channels)) await client.query(`LISTEN ${name}`);
  return true;
}
