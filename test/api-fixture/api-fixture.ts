import { randomBytes } from 'node:crypto';
import { type KeyRequest, readConfiguration } from '@holdfast/contract';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { createServer } from '../../packages/server/src/api/create-server.ts';
import type { ApiContext, ApiServer } from '../../packages/server/src/api/route-group.ts';
import { SecretKeys } from '../../packages/server/src/base/secrets/secret-keys.ts';
import { SecretStore } from '../../packages/server/src/base/secrets/secret-store.ts';
import { Metrics } from '../../packages/server/src/base/telemetry/metrics.ts';
import { KeyDirectory } from '../../packages/server/src/queue/access/key-directory.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';
import { Listener, Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

export interface CallOptions {
  /** The secret of a key; null calls without one. Without this option: an admin's. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The API on a database of its own for a test file, without jobs before each test. */
export class ApiFixture {
  #database: TestDatabase | undefined;
  #server: ApiServer | undefined;
  #admin = '';
  #context: ApiContext | undefined;
  readonly #stopping = new AbortController();

  constructor() {
    // Some make a thousand calls, and the machine may be busy with others.
    vi.setConfig({ testTimeout: 120_000 });
    beforeAll(async () => {
      this.#database = await createTestDatabase();
      const { pool, url } = this.#database;
      const log = pino({ level: process.env.HOLDFAST_TEST_LOG ?? 'silent' });
      this.#context = {
        configuration: readConfiguration({}),
        database: { pool, url, describe: 'the database of a test' },
        pool,
        log,
        notifier: new Notifier(pool),
        listener: new Listener({ url }, log),
        secrets: new SecretStore(
          new SecretKeys({ secretKey: [randomBytes(32).toString('base64')], dataFolder: '' }),
        ),
        keys: new KeyDirectory(pool, log),
        metrics: new Metrics(),
        draining: new AbortController().signal,
        stopping: this.#stopping.signal,
      };
      this.#server = await createServer(this.#context);
      await this.#context.listener.start();
      this.#admin = await this.key({ scopes: ['admin'], user_id: 'admin' });
    });
    beforeEach(() => this.pool.query('TRUNCATE crawl_jobs, job_events, crawl_states'));
    afterAll(async () => {
      this.#stopping.abort();
      await this.#server?.close();
      await this.#context?.listener.stop();
      await this.#database?.drop();
    });
  }

  get server(): ApiServer {
    if (!this.#server) throw new Error('the server of this test file is not there yet');
    return this.#server;
  }

  get context(): ApiContext {
    if (!this.#context) throw new Error('the server of this test file is not there yet');
    return this.#context;
  }

  get pool(): TestDatabase['pool'] {
    if (!this.#database) throw new Error('the database of this test file is not there yet');
    return this.#database.pool;
  }

  get url(): string {
    return this.#database?.url ?? '';
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

  /** Calls a route as a client would: its JSON is in `.json()`. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
    url: string,
    { key = this.#admin, body, headers = {} }: CallOptions = {},
  ): Promise<LightMyRequestResponse> {
    const options: InjectOptions = {
      method,
      url,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    };
    if (body !== undefined) options.payload = body as object;
    return await this.server.inject(options);
  }
}
