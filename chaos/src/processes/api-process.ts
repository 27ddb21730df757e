import { createKey } from '../../../packages/server/src/queue/access/keys.ts';
import type { Stage } from '../stage/stage.ts';
import { HoldfastProcess } from './holdfast-process.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  readonly body: any;
}

/** `holdfast api` as a process of its own, and a client that has a key. */
export class ApiProcess {
  readonly process: HoldfastProcess;
  readonly #address: string;
  readonly #key: string;

  private constructor(process: HoldfastProcess, address: string, key: string) {
    this.process = process;
    this.#address = address;
    this.#key = key;
  }

  static async start(stage: Stage, scopes: ('admin' | 'bots')[] = ['admin']): Promise<ApiProcess> {
    const { secret } = await createKey(stage.pool, { name: 'chaos', user_id: 'local', scopes });
    const process = new HoldfastProcess(stage.run.root, ['api'], {
      ...stage.env(),
      WORKER_ID: 'api',
      HOLDFAST_PORT: '0',
    });
    stage.workers.push(process);
    const { msg } = await process.says(/The API is ready/);
    const address = /http:\/\/[^, ]+/.exec(msg)?.[0] ?? '';
    return new ApiProcess(process, address, secret);
  }

  async post(
    path: string,
    body: object = {},
    { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<ApiAnswer> {
    return await this.#ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  get(path: string): Promise<ApiAnswer> {
    return this.#ask(path, {});
  }

  async #ask(path: string, init: RequestInit): Promise<ApiAnswer> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(init.headers as Record<string, string> | undefined),
    };
    const response = await fetch(`${this.#address}${path}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
}
