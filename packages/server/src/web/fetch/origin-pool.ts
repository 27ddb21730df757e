import type { ProxyEndpoint } from '../proxy/proxy-endpoint.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Exchange } from './exchange.ts';

/**
 * The connections to one origin, directly or through one proxy, and the exchanges that wait for one. Undici's Pool does not tell which connection an exchange
 * used, and cannot cancel waiting ones.
 */
export class OriginPool {
  /** The fetcher's use count, for finding the least recently used. */
  usedAt = 0;
  readonly #origin: URL;
  readonly #options: ConnectionOptions;
  readonly #maxConnections: number;
  readonly #via: ProxyEndpoint | undefined;
  readonly #open = new Set<Connection>();
  /** A stack: the least used connections become idle and close. */
  readonly #free: Connection[] = [];
  #waiting: Exchange[] = [];

  constructor(origin: URL, options: ConnectionOptions, maxConnections: number, via?: ProxyEndpoint) {
    this.#via = via;
    this.#origin = origin;
    this.#options = options;
    this.#maxConnections = maxConnections;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#free.length === this.#open.size;
  }

  run(exchange: Exchange): void {
    const connection = this.#free.pop() ?? this.#connect();
    if (connection) this.#start(exchange, connection);
    else this.#waiting.push(exchange);
  }

  close(): void {
    this.#waiting = [];
    this.#free.length = 0;
    for (const connection of this.#open) connection.destroy();
    this.#open.clear();
  }

  #connect(): Connection | undefined {
    if (this.#open.size >= this.#maxConnections) return undefined;
    const connection = new Connection(this.#origin, this.#options, this.#via);
    this.#open.add(connection);
    return connection;
  }

  #start(exchange: Exchange, connection: Connection): void {
    exchange.start(connection, (reusable) => this.#release(connection, reusable));
  }

  #release(connection: Connection, reusable: boolean): void {
    if (!this.#open.has(connection)) return;
    if (reusable) {
      this.#free.push(connection);
    } else {
      this.#open.delete(connection);
      connection.destroy();
    }
    let next = this.#waiting.shift();
    while (next?.over) next = this.#waiting.shift();
    if (next) this.run(next);
  }
}
