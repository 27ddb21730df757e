import type pg from 'pg';
import { clientClass } from '../../base/database/failover-client.ts';

export interface SqlAnswer {
  /** `SELECT`, `INSERT` …, as the server calls it. */
  readonly command: string;
  readonly rowCount: number | null;
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  /** As the server writes the values. */
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface SqlSessionOptions {
  readonly write: boolean;
  readonly timeoutSeconds: number;
  readonly onNotice: (text: string) => void;
}

/**
 * A connection for statements that a person typed: with the server's own settings, not those that fit ours. Unless it may
 * write, each statement runs alone in a read-only transaction: one that ends it, or makes it writable before it reads, is
 * followed by nothing in it.
 */
export class SqlSession {
  readonly #client: pg.Client;
  readonly #options: SqlSessionOptions;

  private constructor(client: pg.Client, options: SqlSessionOptions) {
    this.#client = client;
    this.#options = options;
  }

  static async open(url: string, options: SqlSessionOptions): Promise<SqlSession> {
    const Client = clientClass(url);
    const client = new Client({
      connectionString: url,
      application_name: 'holdfast sql',
      connectionTimeoutMillis: 10_000,
      types: { getTypeParser: () => (value: unknown) => value },
    });
    client.on('error', () => undefined);
    client.on('notice', ({ severity, message }) => options.onNotice(`${severity ?? 'NOTICE'}: ${message}`));
    await client.connect();
    return new SqlSession(client, options);
  }

  async run(text: string): Promise<SqlAnswer> {
    const { write } = this.#options;
    if (write) {
      if (this.#client.getTransactionStatus() === 'I') await this.#limit('SET');
      return await this.#perform(text);
    }
    await this.#client.query('BEGIN READ ONLY');
    try {
      await this.#limit('SET LOCAL');
      return await this.#perform(text);
    } finally {
      // It has changed nothing but settings of this session, which are to hold for the next statement.
      if (this.#client.getTransactionStatus() !== 'I')
        await this.#client.query('COMMIT').catch(() => undefined);
    }
  }

  /** Whether a BEGIN of the text was left open: what it did is undone with the connection. */
  get isUnfinished(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #limit(set: 'SET' | 'SET LOCAL'): Promise<void> {
    await this.#client.query(`${set} statement_timeout = ${this.#options.timeoutSeconds * 1000}`);
  }

  /** By the extended protocol, which takes one statement and no more. */
  async #perform(text: string): Promise<SqlAnswer> {
    const query = { text, rowMode: 'array', queryMode: 'extended' };
    const result = await this.#client.query<(string | null)[]>(query as pg.QueryArrayConfig);
    const { command, rowCount, fields, rows } = result;
    return {
      command,
      rowCount,
      columns: fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
      rows,
    };
  }
}
