import { type KeyRequest, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type Server, startServer } from '../../packages/server/src/api/start-server.ts';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

export interface RequestOptions {
  readonly method?: string;
  /** The secret of a key; null calls without one. Without this option: an admin's. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any shape
  readonly body: any;
}

/** The API listening on a port of its own, with a database of its own, for a test file. It can be stopped and started. */
export class ListeningApi {
  #database: TestDatabase | undefined;
  #opened: Database | undefined;
  #server: Server | undefined;
  #admin = '';
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    this.#env = env;
    beforeAll(async () => {
      this.#database = await createTestDatabase({ max: 20 });
      this.#admin = await this.key({ scopes: ['admin'], user_id: 'admin' });
      await this.start();
    });
    afterAll(async () => {
      await this.stop();
      await this.#database?.drop();
    });
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database of this test file is not there yet');
    return this.#database.pool;
  }

  get databaseUrl(): string | undefined {
    return this.#database?.url;
  }

  get address(): string {
    if (!this.#server) throw new Error('the API does not listen');
    return this.#server.address;
  }

  async start(): Promise<void> {
    const configuration = readConfiguration({
      HOLDFAST_PORT: '0',
      DATABASE_URL: this.#database?.url,
      ...this.#env,
    });
    const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });
    this.#opened = await openDatabase(configuration, log, { migrate: false });
    this.#server = await startServer(configuration, this.#opened, log);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    await this.#opened?.close();
    this.#server = undefined;
  }

  /** Makes a key and gives its secret. */
  async key(request: Partial<KeyRequest> = {}): Promise<string> {
    const { secret } = await createKey(this.pool, {
      name: 'test',
      user_id: 'alice',
      scopes: ['jobs:read', 'jobs:write'],
      ...request,
    });
    return secret;
  }

  request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = 'GET', key = this.#admin, body, headers = {}, signal } = options;
    return fetch(`${this.address}${path}`, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  /** The JSON of an answer, with its status. */
  async json(path: string, options: RequestOptions = {}): Promise<JsonAnswer> {
    const response = await this.request(path, options);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
}
