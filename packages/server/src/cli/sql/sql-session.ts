import type pg from 'pg';
import { clientClass } from '../../base/database/failover-client.ts';

export interface SqlResult {
  /** `SELECT`, `INSERT` …, as the server calls it. */
  readonly command: string;
  readonly rowCount: number | null;
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  /** Values in PostgreSQL's text format. */
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface SqlSessionOptions {
  readonly write: boolean;
  readonly timeoutSeconds: number;
  readonly onNotice: (text: string) => void;
}

/**
 * A connection for statements that a person typed, with the server's own settings. Without `write`, each statement runs alone
 * in a read-only transaction: if it ends that transaction or makes it writable, nothing follows inside.
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

  async run(text: string): Promise<SqlResult> {
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
      // Keeps session settings (SET) for the next statement; nothing else can have changed.
      if (this.#client.getTransactionStatus() !== 'I')
        await this.#client.query('COMMIT').catch(() => undefined);
    }
  }

  /** Whether a transaction was left open; closing the connection rolls it back. */
  get isUnfinished(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #limit(set: 'SET' | 'SET LOCAL'): Promise<void> {
    await this.#client.query(`${set} statement_timeout = ${this.#options.timeoutSeconds * 1000}`);
  }

  /** The extended protocol accepts a single statement only. */
  async #perform(text: string): Promise<SqlResult> {
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
