import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { limitSession } from '../../base/database/create-pool.ts';
import { clientClass } from '../../base/database/failover-client.ts';
import type { Queryable } from '../../base/database/statement.ts';

/**
 * `work`: jobs became ready. `requeued`: older jobs did, so workers read their lanes from the start. `request`: a running job was
 * asked to pause or cancel. `policy`: a policy may be due. `source`: a source was paused, resumed or changed.
 */
export const channels = {
  work: 'holdfast_work',
  requeued: 'holdfast_requeued',
  source: 'holdfast_source',
  request: 'holdfast_request',
  policy: 'holdfast_policy',
} as const;
type Channel = keyof typeof channels;

/** At most one NOTIFY per channel in this time. */
const quietMs = 20;

/**
 * Wakes sleeping workers after a commit. Never inside the transaction: NOTIFY serialises commits. A lost notification costs only
 * time, because workers poll as well.
 */
export class Notifier {
  readonly #db: Queryable;
  readonly #quietUntil = new Map<Channel, number>();
  readonly #scheduled = new Map<Channel, Promise<void>>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Resolves when the notification that covers this call has been sent or has failed. If sent at once, it goes over `db`. */
  notify(channel: Channel, db = this.#db): Promise<void> {
    const scheduled = this.#scheduled.get(channel);
    if (scheduled) return scheduled;
    const wait = (this.#quietUntil.get(channel) ?? 0) - performance.now();
    if (wait <= 0) return this.#send(channel, db);
    const later = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#scheduled.delete(channel);
        resolve(this.#send(channel, this.#db));
      }, wait);
    });
    this.#scheduled.set(channel, later);
    return later;
  }

  async #send(channel: Channel, db: Queryable): Promise<void> {
    this.#quietUntil.set(channel, performance.now() + quietMs);
    // Polling makes up for a lost notification.
    await db.query({ text: `NOTIFY ${channels[channel]}` }).catch(() => {});
  }
}

const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

/**
 * Listens on a connection of its own and reconnects forever. Behind a pooler in transaction mode LISTEN does not work, so it stays
 * silent and polling does the work.
 */
export class Listener {
  readonly #database: { readonly url: string };
  readonly #log: Logger;
  readonly #handlers = new Map<Channel, Set<() => void>>();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;

  /** The URL is read at each connect: an embedded server may come back on another port. */
  constructor(database: { readonly url: string }, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  /** Calls `handler` on each notification and after each reconnect, as notifications may have been missed. */
  on(channel: Channel, handler: () => void): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** Resolves after the first attempt to listen, successful or not; keeps trying afterwards. */
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

  /** Connects and listens; `closed` resolves when the connection is gone. Undefined: behind a pooler. */
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
      // connect() never settles if the client is ended meanwhile, and stop() would wait forever.
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
